/// The address of a ClickHouse server's HTTP interface.
package struct ClickHouseServer: Hashable, Sendable, CustomStringConvertible {
  /// The URL without a slash at its end.
  package let url: String

  /// Reads an address such as `http://db1:8123`.
  ///
  /// - Throws: ``ClickHouseError`` with code `invalid` for anything but a scheme, a host, a port and a path, above all for a
  ///   name and password, which would be seen in the list of processes.
  package init(_ text: String) throws(ClickHouseError) {
    let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
    guard let scheme else {
      throw ClickHouseError(.invalid, "The address of a ClickHouse server begins with http:// or https://.")
    }
    let rest = text.dropFirst(scheme.count)
    guard !rest.contains("@") else {
      // The message doesn't repeat the address, which may contain a password.
      throw ClickHouseError(
        .invalid, "The address of a ClickHouse server has no user and password. Give them in a file.")
    }
    let isPlain = rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard isPlain, let first = rest.first, first != "/", first != ":" else {
      throw ClickHouseError(
        .invalid, "The address of a ClickHouse server is a scheme, a host and a port, such as http://db1:8123.")
    }
    url = scheme + (rest.hasSuffix("/") ? rest.dropLast() : rest)
  }

  package var description: String { url }
}

/// The name and the password of a user of ClickHouse.
package struct ClickHouseCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package let user: String
  let password: String

  /// Checks that both can stand in a header.
  ///
  /// - Throws: ``ClickHouseError`` with code `invalid` for an empty name or control characters.
  package init(user: String, password: String) throws(ClickHouseError) {
    guard !user.isEmpty, !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw ClickHouseError(
        .invalid, "A user of ClickHouse has a name, and neither name nor password has control characters.")
    }
    (self.user, self.password) = (user, password)
  }

  /// Reads `user:password` from the first line of a file.
  ///
  /// - Throws: ``ClickHouseError`` with code `invalid` for anything else.
  package init(line text: String) throws(ClickHouseError) {
    let line = text.prefix { !$0.isNewline }
    guard let colon = line.firstIndex(of: ":") else {
      throw ClickHouseError(.invalid, "The first line of the file with ClickHouse's credentials is user:password.")
    }
    try self.init(user: String(line[..<colon]), password: String(line[line.index(after: colon)...]))
  }

  /// The user alone: the password is in no log and no error.
  package var description: String { user }
  package var debugDescription: String { user }
  package var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
