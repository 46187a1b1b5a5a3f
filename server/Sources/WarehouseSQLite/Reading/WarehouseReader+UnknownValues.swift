import Ingest
package import Questions
package import Warehouse

extension WarehouseReader {
  /// The most known values with which an unknown one is compared: the newest.
  private static let comparedNames = 5_000
  /// The most unknown values for which similar ones are looked for.
  private static let maximumSuggestions = 20

  /// Finds values that no row has ever had; see ``QuestionSource/unknownValues(among:app:)``.
  package func unknownValues(among values: Set<NamedValue>, app: AppID) async throws -> [NamedValue: [String]] {
    guard !values.isEmpty else { return [:] }
    return try await reading { connection in
      let newest = try connection.prepare(
        kept: "SELECT text FROM dictionary WHERE app = ? AND kind = ? ORDER BY id DESC LIMIT ?")
      var known: [NamedValue.Kind: [String]] = [:]
      var unknown: [NamedValue: [String]] = [:]
      for value in values {
        let (kind, text) = (NameKind(value.kind), value.text.text)
        guard try ReaderDictionary.id(text, app: app.rawValue, kind: kind, connection) == nil else { continue }
        let names =
          try known[value.kind]
          ?? newest.bind(app.rawValue, kind.rawValue, Int64(Self.comparedNames)).all { $0.text(0) }
        known[value.kind] = names
        // In an app without any such value, all would be unknown.
        guard !names.isEmpty else { continue }
        // Questions read codes of languages and countries by their canonical ones.
        if let dimension = QuestionDimension(value.kind.rawValue),
          names.contains(where: { dimension.canonical($0) == dimension.canonical(text) })
        {
          continue
        }
        unknown[value] = unknown.count < Self.maximumSuggestions ? NearestNames.nearest(to: text, among: names) : []
      }
      return unknown
    }
  }
}

extension NameKind {
  /// The kind of the texts in the dictionary that are a question's values.
  fileprivate init(_ kind: NamedValue.Kind) {
    self =
      switch kind {
      case .event: .event
      case .screen: .screen
      case .version: .version
      case .os: .system
      case .model: .model
      case .country: .country
      case .language: .language
      case .property: .property
      }
  }
}
