import Foundation
import TernServer

/// The directory of a demo: the server's data and the queues of its processes.
struct DemoDirectory {
  let data: URL
  let queues: URL
  let isTemporary: Bool
  private let root: URL

  /// Creates the directory. A given directory must be new or empty: a history played into it twice would count twice.
  init(_ path: String?) throws {
    isTemporary = path == nil
    root =
      path.map { URL(filePath: $0).standardizedFileURL }
      ?? FileManager.default.temporaryDirectory.appending(path: "tern-demo-\(UUID().uuidString)")
    data = root
    queues = isTemporary ? root.appending(path: "queues") : root.appending(path: "demo-queues")
    let existing = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    guard existing.isEmpty else {
      throw ServerFailure(
        "\(root.path) is not empty. Choose a new directory, or run `tern serve` to see its data.")
    }
    do {
      try FileManager.default.createDirectory(at: queues, withIntermediateDirectories: true)
    } catch {
      throw ServerFailure("\(root.path) couldn't be created: \(error.localizedDescription)")
    }
  }

  func removeIfTemporary() {
    if isTemporary { try? FileManager.default.removeItem(at: root) }
  }
}
