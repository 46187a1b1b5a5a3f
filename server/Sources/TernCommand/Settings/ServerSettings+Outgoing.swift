import ArgumentParser
import Foundation
import Outgoing
import ServerBase

extension ServerSettings {
  @Sendable static func mailServer(_ text: String) throws -> MailServer {
    do throws(OutgoingError) { return try MailServer(text) } catch { throw ValidationError(error.message) }
  }

  @Sendable static func mailAddress(_ text: String) throws -> MailAddress {
    do throws(OutgoingError) { return try MailAddress.parse(text) } catch { throw ValidationError(error.message) }
  }

  @Sendable static func webhookAddresses(_ text: String) throws -> [AddressBlock] {
    let texts = text == "all" ? ["0.0.0.0/0", "::/0"] : [text]
    return try texts.map { text in
      guard let block = AddressBlock(text) else {
        throw ValidationError("Enter an address such as 10.0.0.7, a block such as 10.0.0.0/8 or fd00::/8, or all.")
      }
      return block
    }
  }

  @Sendable static func portalAddress(_ text: String) throws -> String {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), parts.host?.isEmpty == false, parts.user == nil, parts.password == nil,
      parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw ValidationError("Enter an address such as https://tern.example.org. The portal can't be below a path.")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
