import Foundation
import Testing

@testable import Portal

/// Compares the embedded files with those of the source tree.
@Suite struct EmbeddedFileTests {
  private static let resources = URL(filePath: #filePath).appending(path: "../../../Sources/Portal/Resources")
    .standardized

  private func files(_ folder: String) throws -> [String: String] {
    let folder = Self.resources.appending(path: folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: try names.map {
        ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      })
  }

  @Test func `every template and asset of the source tree is embedded unchanged`() throws {
    let (templates, assets) = (try files("Templates"), try files("Assets"))
    #expect(!templates.isEmpty && !assets.isEmpty)
    #expect(EmbeddedFiles.templates == templates, "add missing files to resources.c")
    #expect(EmbeddedFiles.assets == assets, "add missing files to resources.c")
  }

  @Test func `every address of an asset leads to a file with contents`() {
    for (name, asset) in PortalAssets.assets { #expect(!asset.bytes.isEmpty, "\(name)") }
  }
}
