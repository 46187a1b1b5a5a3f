/// The text of addresses that people read: a space is `+`, and signs that addresses allow stay as they are.
enum AddressText {
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:@/,()".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns the text in escaped form.
  static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte == UInt8(ascii: " ") {
        bytes.append(UInt8(ascii: "+"))
      } else if plain.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Joins the parts of a query that are there.
  static func joined(_ parts: [String?]) -> String {
    parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "&")
  }

  /// Returns the query of parameters in order.
  static func query(_ parameters: [(String, String)]) -> String {
    parameters.map { "\($0)=\(encode($1))" }.joined(separator: "&")
  }
}
