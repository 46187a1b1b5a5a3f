package import Hummingbird
import JSON
package import ServerBase

extension Request {
  /// The form of CSV that the parameters `decimal` and `texts` name.
  package func csvStyle() throws -> CSVStyle {
    CSVStyle(decimal: try word("decimal") ?? .point, texts: try word("texts") ?? .protected)
  }

  private func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String) throws -> Word? {
    guard let text = parameters[name], !text.isEmpty else { return nil }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: " or ")
      throw APIError.invalid("`\(name)` must be \(words).")
    }
    return word
  }
}

extension APIOperation.Parameter {
  /// The parameters of the form of CSV.
  package static let csv: [APIOperation.Parameter] = [
    .query(
      "decimal",
      .choice(CSVStyle.Decimal.self).described(
        "The decimal sign of CSV. `comma` also separates fields by semicolons and begins with a byte order mark, for "
          + "spreadsheets in languages with one. `point` by default.")),
    .query(
      "texts",
      .choice(CSVStyle.Texts.self).described(
        "The texts of CSV: `protected`, so that no spreadsheet runs one, or `raw` for programs. `protected` by default."
      )
    ),
  ]
}
