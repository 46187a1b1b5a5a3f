import ArgumentParser
import Foundation
import HTTPTypes
import Outgoing
import SignOn
import TernServer
import Warehouse

/// The operator's settings for signing in with providers and proxies.
struct SignOnSettings {
  /// The providers; empty without a file of them.
  private(set) var providers: [ProviderSettings] = []
  /// The files that hold client secrets: those that providers name, and the file of providers if it has some itself.
  private(set) var secretFiles: [String] = []

  /// Reads the file of providers.
  ///
  /// - Throws: ``ServerFailure`` that names the file and the place of a mistake.
  init(_ settings: EffectiveSettings) throws {
    guard let path = try settings.value(\.signIn) else { return }
    guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
      throw ServerFailure("\(path) can't be read. Check --sign-in and the file's permissions.")
    }
    do {
      var files: [String] = []
      providers = try ProviderSettings.parse([UInt8](bytes)) { path throws(ProviderSettings.Mistake) in
        files.append(path)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
          throw ProviderSettings.Mistake(message: "\(path) can't be read. Check its name and its permissions.")
        }
        guard let line = text.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
          throw ProviderSettings.Mistake(message: "\(path) is empty. Put the secret into its first line.")
        }
        return String(line)
      }
      for provider in providers {
        guard let authorities = provider.authorities, !FileManager.default.isReadableFile(atPath: authorities) else {
          continue
        }
        throw ServerFailure("\(authorities), \"ca\" in \(path), can't be read. Check its name and its permissions.")
      }
      secretFiles = files.count < providers.count ? [path] + files : files
    } catch let mistake as ProviderSettings.Mistake {
      throw ServerFailure("\(path): \(mistake.message)")
    }
  }
}

extension ServerSettings {
  @Sendable static func headerName(_ text: String) throws -> HTTPField.Name {
    let others = ["cookie", "authorization", "host", "origin", "x-forwarded-for", "x-forwarded-proto"]
    guard let name = HTTPField.Name(text), !others.contains(name.canonicalName) else {
      throw ValidationError("Enter the name of a header that only the proxy sets, such as X-Forwarded-User.")
    }
    return name
  }
}
