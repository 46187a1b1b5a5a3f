/// The parameters of a rejected hit as one text that can be parsed again: pairs as on the wire, with only ambiguous
/// characters escaped to keep it readable.
public enum RefusedText {
  static func text(_ parameters: [HitParameter]) -> String {
    parameters.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
  }

  /// The parameters by name; what was cut off at the end of a text that was too long is missing.
  public static func parameters(_ text: String) -> [String: String] {
    var bytes = Array(text.utf8)
    // An escape that was cut off.
    if let percent = bytes.lastIndex(of: UInt8(ascii: "%")), percent + 3 > bytes.count {
      bytes.removeSubrange(percent...)
    }
    return bytes.withUnsafeBytes { bytes in
      let form = FormParameters(bytes)
      return Dictionary(
        zip(form.names, form.names.indices.map { form.text(at: $0, limit: bytes.count) ?? "" }),
        uniquingKeysWith: { $1 })
    }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "%": result += "%25"
      case "&": result += "%26"
      case "+": result += "%2B"
      case "=": result += "%3D"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
