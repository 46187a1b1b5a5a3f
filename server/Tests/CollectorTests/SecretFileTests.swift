import Foundation
import Testing

@testable import TernCommand

/// Tests the warnings about files with secrets that others may read.
@Suite struct SecretFileTests {
  private func withFolder(_ body: (_ folder: String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tern-secret-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func write(_ text: String, to path: String, permissions: Int) throws {
    #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
  }

  /// A file with one provider for each member with a secret.
  private func providers(_ secrets: [String]) -> String {
    let providers = secrets.enumerated().map { number, secret in
      #"{"id":"p\#(number)","issuer":"https://p\#(number).example.org","client-id":"tern",\#(secret)}"#
    }
    return #"{"providers":[\#(providers.joined(separator: ","))]}"#
  }

  @Test(arguments: [(0o600, false), (0o400, false), (0o640, false), (0o604, true), (0o644, true)])
  func `a file that everyone may read is warned about`(permissions: Int, isExposed: Bool) throws {
    try withFolder { folder in
      let path = folder + "/secret"
      try write("secret", to: path, permissions: permissions)
      let warning = SecretFile.warning(about: path)
      #expect(warning?.contains("chmod 600 \(path).") == (isExposed ? true : nil))
      #expect(SecretFile.warning(about: folder) == nil && SecretFile.warning(about: folder + "/none") == nil)
    }
  }

  @Test func `the files that hold secrets are known, and the file of providers is one if a secret is in it`() throws {
    try withFolder { folder in
      let (signIn, secret, password) = (folder + "/sign-in.json", folder + "/client-secret", folder + "/password")
      try write("secret\n", to: secret, permissions: 0o644)
      try write("password\n", to: password, permissions: 0o604)
      let own = #""client-secret":"s""#
      let named = #""client-secret-file":"\#(secret)""#
      let settings = EffectiveSettings(options: ["sign-in": [signIn], "smtp-password-file": [password]])
      for (secrets, expected) in [([own], [signIn]), ([named], [secret]), ([own, named], [signIn, secret])] {
        try write(providers(secrets), to: signIn, permissions: 0o644)
        let signOn = try SignOnSettings(settings)
        #expect(signOn.secretFiles == expected && signOn.providers.count == secrets.count)
        let warnings = try SecretFile.warnings(settings, signOn)
        #expect(warnings.count == expected.count + 1)
        #expect(zip(warnings, expected + [password]).allSatisfy { $0.contains($1) }, "\(warnings)")
      }
      // So is the file of settings, if it has passwords.
      let config = folder + "/config.json"
      for (text, isSecret) in [
        (#"{"port": 8787, "clickhouse": "http://db1:8123"}"#, false), (#"{"smtp-password": "pass"}"#, true),
        (#"{"clickhouse": "http://db1:8123,http://me:pass@db2:8123"}"#, true),
      ] {
        try write(text, to: config, permissions: 0o644)
        var settings = EffectiveSettings()
        settings.file = try SettingsFile(path: config)
        let warnings = try SecretFile.warnings(settings, SignOnSettings(settings))
        #expect(warnings.map { $0.contains(config) } == (isSecret ? [true] : []))
      }
      let none = EffectiveSettings()
      #expect(try SecretFile.warnings(none, SignOnSettings(none)) == [])
    }
  }
}
