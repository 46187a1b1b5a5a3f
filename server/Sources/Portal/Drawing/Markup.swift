import Mustache

/// Escapes text between tags or in a quoted attribute.
///
/// Works on scalars: the template engine's own escaping compares characters, so a quote or angle bracket followed by a
/// combining mark would be a different character and pass unescaped.
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

/// Makes the template engine escape with ``escaped(_:)``. Every template begins with ``pragma``.
struct PageContentType: MustacheContentType {
  static let name = "TERN_PAGE"
  static let pragma = "{{% CONTENT_TYPE:TERN_PAGE}}"

  func escapeText(_ text: String) -> String { escaped(text) }
}
