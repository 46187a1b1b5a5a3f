import TernBase
import Warehouse

/// The kind of a text in the dictionary. The raw values are stored: never reuse one.
package enum NameKind: Int64, CaseIterable {
  case event = 0
  case screen = 1
  case logType = 2
  case property = 3
  /// Device properties that are stored but have no reports of their own.
  case text = 4
  case version = 5
  case system = 6
  case model = 7
  case country = 8
  case language = 9

  /// The number of distinct texts per app allowed without a daily limit, so that a hostile client can't grow the
  /// dictionary without bound. Beyond it, ``dailyAllowance`` applies; texts beyond that too are "(other)".
  var limit: Int {
    switch self {
    case .event, .screen, .property, .version: 5_000
    case .logType, .country, .language: 1_000
    case .system: 2_000
    case .model, .text: 20_000
    }
  }

  /// The number of new texts per app allowed on each day of receipt once the limit is reached. Without it, one flood
  /// would turn all later names into "(other)" for good.
  var dailyAllowance: Int {
    switch self {
    case .event, .screen, .property, .version, .model, .text: 1_000
    case .logType, .system, .country, .language: 100
    }
  }

  /// The maximum length of a text, in UTF-8 bytes. It equals the limit of the protocols
  /// (`IngestLimits.maximumNameBytes`), so that no two names become one.
  static let maximumBytes = 768
}

/// The dictionary for reports: texts by ID. The text of an ID never changes, so it can be cached forever.
package final class ReaderDictionary: Sendable {
  private static let limit = 200_000
  private let texts = Locked<[Int64: String]>([:])

  package init() {}

  /// Returns the text of an ID.
  package func text(_ id: Int64, _ connection: SQLConnection) throws -> String {
    if id == 0 { return Dimension.otherKey }
    if let text = texts.withLock({ $0[id] }) { return text }
    guard
      let text = try connection.prepare(kept: "SELECT text FROM dictionary WHERE id = ?").bind(id).first({ $0.text(0) })
    else { return Dimension.otherKey }
    texts.withLock { texts in
      if texts.count >= Self.limit { texts.removeAll() }
      texts[id] = text
    }
    return text
  }

  /// Returns the ID of a text, or `nil` if it never occurred.
  static func id(_ text: String, app: Int64, kind: NameKind, _ connection: SQLConnection) throws -> Int64? {
    if text == Dimension.otherKey { return 0 }
    return try connection.prepare(kept: "SELECT id FROM dictionary WHERE app = ? AND kind = ? AND text = ?")
      .bind(app, kind.rawValue, text).first { $0.integer(0) }
  }
}
