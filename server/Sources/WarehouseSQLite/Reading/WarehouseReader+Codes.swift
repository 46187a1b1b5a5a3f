import ServerBase
import TernBase
import Warehouse

/// Languages and countries for which devices send several codes: counts are stored under the code that was sent, and read
/// under its canonical one.
extension WarehouseReader {
  /// Returns the stored key under which a code of a language or country is read: that of its canonical code or, if the app
  /// has never sent it, that of the first of the codes that it replaces; `nil` if none occurred.
  func number(
    ofCode code: String, _ app: AppID, _ dimension: Dimension, _ kind: NameKind, _ connection: SQLConnection
  ) throws -> Int64? {
    let replacements = CanonicalCode.replacements(in: dimension)
    let canonical = replacements[code] ?? code
    for text in [canonical] + replacements.filter({ $0.value == canonical }).keys.sorted() {
      if let id = try ReaderDictionary.id(text, app: app.rawValue, kind: kind, connection) { return id }
    }
    return nil
  }

  /// The stored keys that are read as another one: those of languages and countries for which devices send several codes.
  func replacements(
    _ app: AppID, _ dimension: Dimension, _ connection: SQLConnection
  ) throws -> [Int64: Int64] {
    guard let kind = dimension.nameKind else { return [:] }
    var numbers: [Int64: Int64] = [:]
    for code in CanonicalCode.replacements(in: dimension).keys {
      guard let number = try ReaderDictionary.id(code, app: app.rawValue, kind: kind, connection),
        let target = try self.number(ofCode: code, app, dimension, kind, connection), target != number
      else { continue }
      numbers[number] = target
    }
    return numbers
  }

  /// Returns the counts and distinct installs of some keys together, per day.
  func series(
    _ app: AppID, _ dimension: Dimension, keys: Set<Int64>, _ days: ClosedRange<Day>, _ connection: SQLConnection
  ) throws -> [DailyTotals] {
    var counts: [Int: Int] = [:]
    let statement = try connection.prepare(
      "SELECT day, n FROM daily_count WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?" + Self.filter(keys))
    bind(statement, app, dimension, days)
    while try statement.step() { counts[statement.day(0), default: 0].addSaturated(Int(statement.integer(1))) }
    var users: [Int: SlotSet] = [:]
    let sets = try connection.prepare(
      "SELECT day, slots FROM daily_users WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?" + Self.filter(keys))
    bind(sets, app, dimension, days)
    while try sets.step() {
      let (day, set) = (sets.day(0), try SlotSet.stored(sets.bytes(1)))
      if let union = users[day] { union.formUnion(set) } else { users[day] = set }
    }
    return Set(counts.keys).union(users.keys).sorted().map {
      DailyTotals(day: Day(number: $0), count: counts[$0] ?? 0, users: users[$0]?.count ?? 0)
    }
  }
}

extension Set<Int64> {
  /// The keys with those that are read as one of them.
  func adding(_ replacements: [Int64: Int64]) -> Set<Int64> {
    union(replacements.filter { contains($0.value) }.keys)
  }
}
