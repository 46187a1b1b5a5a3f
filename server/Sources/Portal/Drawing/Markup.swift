import Mustache

/// Escapes what stands between tags or in a quoted attribute.
///
/// By scalar: the template engine's own escaping compares characters, so a quote or an angle bracket that a combining
/// mark follows is another character to it and would pass unescaped.
func escaped(_ text: String) -> String {
  var result = ""
  result.reserveCapacity(text.utf8.count)
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    case "'": result += "&#39;"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Makes the template engine escape with ``escaped(_:)``; every template begins with ``pragma``.
struct PageContentType: MustacheContentType {
  static let name = "TERN_PAGE"
  static let pragma = "{{% CONTENT_TYPE:TERN_PAGE}}"

  func escapeText(_ text: String) -> String { escaped(text) }
}

/// The text as a part of an address: every byte that is not a letter, a digit or one of `-._~` percent-encoded.
func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF")
  return text.utf8.reduce(into: "") { result, byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      result.append("%")
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
  }
}
