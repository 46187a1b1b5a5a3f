import Views
import Warehouse

/// What a text of the dictionary stands for. The raw values are stored: never reuse one.
enum NameKind: Int64, CaseIterable {
  case event = 0
  case screen = 1
  case logType = 2
  case property = 3
  /// Device facts that are kept but not reported on by themselves.
  case text = 4
  case version = 5
  case system = 6
  case model = 7
  case country = 8
  case language = 9

  /// How many different texts one app may bring without more ado, so that a hostile client cannot make the dictionary
  /// grow without bound. Beyond it there is only the ``dailyAllowance``; what exceeds that too is "(other)".
  var limit: Int {
    switch self {
    case .event, .screen, .property, .version: 5_000
    case .logType, .country, .language: 1_000
    case .system: 2_000
    case .model, .text: 20_000
    }
  }

  /// How many new texts one app may still bring on each day of receipt once the limit is reached: without it a flood
  /// would take away the names of everything that comes later, for good.
  var dailyAllowance: Int {
    switch self {
    case .event, .screen, .property, .version, .model, .text: 1_000
    case .logType, .system, .country, .language: 100
    }
  }

  /// The longest text that is kept, in UTF-8 bytes: what the protocols let through (`IngestLimits.maximumNameBytes`), so
  /// that no two names become one.
  static let maximumBytes = 768
}

/// The dictionary as reports use it: numbers to texts. Numbers never change their text, so what is known stays known.
final class ReaderDictionary: Sendable {
  private static let limit = 200_000
  private let texts = Locked<[Int64: String]>([:])

  /// The text of a number.
  func text(_ id: Int64, _ connection: SQLConnection) throws -> String {
    if id == 0 { return WriterDictionary.other }
    if let known = texts.withLock({ $0[id] }) { return known }
    let statement = try connection.prepare("SELECT text FROM dict WHERE id = ?")
    statement.bind(id)
    guard try statement.step() else { return WriterDictionary.other }
    let text = statement.text(0)
    texts.withLock { texts in
      if texts.count >= Self.limit { texts.removeAll() }
      texts[id] = text
    }
    return text
  }

  /// The number of a text; `nil` when it never occurred.
  static func id(_ text: String, app: Int64, kind: NameKind, _ connection: SQLConnection) throws -> Int64? {
    if text == WriterDictionary.other { return 0 }
    let statement = try connection.prepare("SELECT id FROM dict WHERE app = ? AND kind = ? AND text = ?")
    statement.bind(app, kind.rawValue)
    statement.bind(text, at: 3)
    guard try statement.step() else { return nil }
    return statement.integer(0)
  }
}
