/// The parameters of a rejected hit as one parsable text: pairs as on the wire, with only ambiguous characters escaped,
/// to stay readable.
package enum RejectedHitText {
  static func text(_ parameters: [HitParameter]) -> String {
    parameters.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
  }

  /// Returns the parameters by name. A parameter truncated at the end of an overlong text is left out.
  package static func parameters(_ text: String) -> [String: String] {
    var bytes = Array(text.utf8)
    // Drop a truncated escape.
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
