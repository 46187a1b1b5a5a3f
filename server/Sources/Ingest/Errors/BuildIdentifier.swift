/// The identifier that a linker gives to a build of an executable or library: the GNU build ID, or the UUID of a Mach-O file.
package enum BuildIdentifier {
  /// Returns the form in which identifiers are stored and compared: without the dashes of a UUID, in lowercase letters.
  ///
  /// - Returns: `nil` if the text is no identifier: 8 to 128 hexadecimal digits.
  package static func normalized(_ text: some StringProtocol) -> String? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard (8...128).contains(digits.count) else { return nil }
    let identifier = String(decoding: digits, as: UTF8.self).lowercased()
    let isHexadecimal = identifier.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isHexadecimal ? identifier : nil
  }
}
