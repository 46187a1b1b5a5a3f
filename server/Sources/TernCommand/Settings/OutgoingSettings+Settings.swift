import Foundation
import Outgoing
import ServerBase
import TernServer

extension OutgoingSettings {
  /// Reads the settings.
  ///
  /// Throws ``ServerFailure`` if settings contradict each other, or a file can't be read.
  init(_ settings: EffectiveSettings) throws {
    self.init()
    addresses = AddressPolicy(allowing: try settings.value(\.allowWebhooksTo))
    portal = try settings.value(\.portalUrl)
    guard var server = try settings.value(\.smtp) else { return }
    guard let from = try settings.value(\.mailFrom) else {
      throw ServerFailure("Mails need a sender. Set --mail-from, for example to tern@example.org.")
    }
    server.user = try settings.value(\.smtpUser)
    server.password = try Self.password(settings)
    guard (server.user == nil) == (server.password == nil) else {
      throw ServerFailure(
        "The user and the password for the mail server belong together. Set --smtp-user and --smtp-password-file, or neither."
      )
    }
    server.authorities = try settings.value(\.smtpCa)
    if let authorities = server.authorities { try Self.checkAuthorities(authorities) }
    mail = (server, from)
  }

  /// Throws if a file has no certificate: libcurl would say so only when the first mail can't be sent.
  private static func checkAuthorities(_ path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: maximumAuthorityBytes)
    else {
      throw ServerFailure("\(path) can't be read. Check --smtp-ca and the file's permissions.")
    }
    let blocks = String(decoding: bytes, as: UTF8.self).components(separatedBy: "CERTIFICATE-----")
    let isCertificate = blocks.dropFirst().contains { block in
      let content = block.components(separatedBy: "-----END").first ?? ""
      // DER begins with a sequence.
      return Data(base64Encoded: content.filter { !$0.isWhitespace })?.first == 0x30
    }
    guard isCertificate else {
      throw ServerFailure("\(path) has no certificate in PEM format. Name another file with --smtp-ca.")
    }
  }

  /// Far more than the authorities of a system.
  private static let maximumAuthorityBytes = 8 << 20

  private static func password(_ settings: EffectiveSettings) throws -> String? {
    guard let path = try settings.value(\.smtpPasswordFile) else { return try settings.value(\.smtpPassword) }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ServerFailure("\(path) can't be read. Check --smtp-password-file and the file's permissions.")
    }
    guard let line = text.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
      throw ServerFailure("\(path) is empty. Put the password into its first line.")
    }
    return String(line)
  }
}
