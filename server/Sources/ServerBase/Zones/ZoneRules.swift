/// A time zone as one edition of the zone data has it: its name, and when its clocks changed and will change.
package struct ZoneRules: Sendable, Hashable {
  /// The zone's name in the IANA database, for example `Europe/Berlin`.
  package let identifier: String
  package let table: ZoneTable
  /// The source of the rules.
  package let source: ZoneSource

  package init(identifier: String, table: ZoneTable, source: ZoneSource) {
    (self.identifier, self.table, self.source) = (identifier, table, source)
  }

  /// Finds a zone in the data of this computer, or returns `nil` if they have none with this name.
  package init?(_ name: String) {
    guard let zone = ZoneDatabase.system.zone(name) else { return nil }
    self = zone
  }

  /// Tables are long, and zones with one name and source seldom differ.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(source)
  }

  package static let utc = ZoneRules(identifier: "UTC", table: .utc, source: .always)

  /// True if two names mean the same times, like `Asia/Kolkata` and `Asia/Calcutta`.
  package func hasSameTimes(as other: ZoneRules) -> Bool {
    table.differences(from: other.table, in: Self.years).isEmpty
  }

  /// The years 1900 to 2100: earlier times of a zone are local mean times that editions of the data take back and forth, and later
  /// ones follow the same rule.
  package static let years: Range<Int64> = -2_208_988_800..<4_133_980_800
}

extension ZoneRules: CustomStringConvertible {
  /// The zone, its source, and a number that practically always differs between tables: what was counted by other rules has another
  /// description.
  package var description: String { "\(identifier) \(source) \(table.file.reduce(0) { mixed($0, UInt64($1)) })" }
}

/// An edition of the zone data.
package struct ZoneSource: Sendable, Hashable, CustomStringConvertible {
  /// The edition, for example `2026f`; `nil` if the files don't say it.
  package var version: String?
  /// The folder of the files, or other words for where the data are from.
  package var place: String

  package init(version: String?, place: String) { (self.version, self.place) = (version, place) }

  /// The source of rules that no edition can change.
  package static let always = ZoneSource(version: nil, place: "fixed")
  /// The source of zones without files.
  package static let builtIn = ZoneSource(version: nil, place: "built in")

  /// True if these data are to take the place of others: editions are named by year and letter, and what the computer has is newer
  /// than what came with a program or has no edition.
  package func isNewer(than other: ZoneSource) -> Bool {
    guard self != other, self != .builtIn, self != .always else { return false }
    guard let version, let known = other.version else { return version != nil || other.version == nil }
    return version > known
  }

  /// `2026f from /usr/share/zoneinfo`.
  package var description: String {
    switch self {
    case .always, .builtIn: place
    default: "\(version ?? "an unknown edition") from \(place)"
    }
  }
}
