import Ingest
package import RowFiles

extension EventScan {
  /// Returns the identifier that the row last returned joins with its user; `nil` if it isn't an alias.
  ///
  /// - Parameter isAlias: Returns true if a number in the dictionary is that of ``AliasRecord/name``.
  package func alias(of row: EventRow, isAlias: (Int64) throws -> Bool) rethrows -> String? {
    guard row.flags.kind == .other, !userBytes.isEmpty else { return nil }
    // A name without an ID is in the row itself.
    let isMeant =
      row.name == 0 ? PropertyCoding.eventName(properties) == AliasRecord.name : try isAlias(row.name)
    guard isMeant else { return nil }
    var identifier: String?
    try PropertyCoding.forEachText(properties) { id, name, value in
      guard case .text(let text) = value, try name.map({ $0.elementsEqual(AliasRecord.name.utf8) }) ?? isAlias(id)
      else { return }
      identifier = String(decoding: text, as: UTF8.self)
    }
    return identifier
  }
}
