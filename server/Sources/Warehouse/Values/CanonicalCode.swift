/// The one code of a language or a country for which devices send several.
///
/// Rows keep the code that was sent. Counts, questions, filters and lists read it by this name, so that days before and
/// after a change of a system's codes add up to one row. The codes are those of Unicode's CLDR that have one successor.
package enum CanonicalCode {
  /// Codes of languages, with those that replaced them.
  package static let languages = [
    "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "cmn": "zh", "jw": "jv", "tl": "fil",
  ]
  /// Codes of countries, with those that replaced them.
  package static let countries = ["UK": "GB", "BU": "MM", "DD": "DE", "FX": "FR", "TP": "TL", "YD": "YE", "ZR": "CD"]

  /// Returns the code of a language, with the script or region that may follow it.
  package static func language(_ code: String) -> String {
    let end = code.firstIndex { $0 == "-" || $0 == "_" } ?? code.endIndex
    return languages[String(code[..<end])].map { $0 + code[end...] } ?? code
  }

  /// Returns the code of a country.
  package static func country(_ code: String) -> String { countries[code] ?? code }

  /// The codes of a dimension's keys, with those that replaced them; empty for keys that are no codes.
  package static func replacements(in dimension: Dimension) -> [String: String] {
    switch dimension {
    case .language: languages
    case .country: countries
    default: [:]
    }
  }
}
