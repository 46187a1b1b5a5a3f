import ServerBase

extension PageVisit {
  /// The links to a file in its formats. The first is the CSV that spreadsheets in the reader's language open correctly.
  ///
  /// - Parameters:
  ///   - others: The formats besides CSV.
  ///   - address: Returns the address with some parameters.
  func formats(_ others: [String], address: (_ parameters: String) -> String) -> [TemplateValues] {
    var csv = [("CSV", "format=csv"), ("CSV, decimal comma", "format=csv&decimal=comma")]
    if decimal == .comma { csv.reverse() }
    return (csv + others.map { ($0.uppercased(), "format=\($0)") }).map { .link($0, address($1)) }
  }
}
