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
