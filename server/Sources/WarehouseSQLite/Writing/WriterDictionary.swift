import Views
import Warehouse

/// The dictionary as the writer uses it: texts to numbers, held in memory per app.
///
/// Number 0 is "(other)" for every kind.
final class WriterDictionary {
  static let other = Dimension.otherKey

  /// What an app has used of the allowance of one day.
  struct Spending {
    var day = Int64.min
    /// How many of each kind the operator allows; `nil` for the usual number.
    var perDay: Int?
    /// When that was looked up.
    var asked: Int64?
    var texts = [Int](repeating: 0, count: NameKind.allCases.count)
  }

  private let insert: SQLStatement
  private let load: SQLStatement
  private let find: SQLStatement
  private let seed: UInt64
  private let perDay: (Int64) throws -> Int?
  /// The texts of one kind held in memory per app; the others are looked up on disk.
  fileprivate let heldTexts: Int
  private var apps: [Int64: AppNames] = [:]
  /// Outlives `forget`, so that failing transactions do not renew the allowance. A restart does: that is one more
  /// allowance, and spares storing it.
  private var spending: [Int64: Spending] = [:]

  /// - Parameter perDay: how many new texts of each kind the operator allows an app a day; `nil` for the usual number.
  init(
    _ connection: SQLConnection, seed: UInt64, heldTexts: Int = 50_000,
    perDay: @escaping (_ app: Int64) throws -> Int? = { _ in nil }
  ) throws {
    insert = try connection.prepare("INSERT INTO dict (app, kind, text) VALUES (?, ?, ?) RETURNING id")
    load = try connection.prepare("SELECT kind, id, text FROM dict WHERE app = ?")
    find = try connection.prepare("SELECT id FROM dict WHERE app = ? AND kind = ? AND text = ?")
    self.seed = seed
    self.heldTexts = heldTexts
    self.perDay = perDay
  }

  /// Forgets everything, after a rollback took back numbers that were given out.
  func forget() { apps = [:] }

  /// The texts of one app; do not keep it beyond a transaction.
  func names(app: Int64) throws -> AppNames {
    if let known = apps[app] { return known }
    let names = AppNames(app: app, dictionary: self, seed: seed)
    load.bind(app)
    while try load.step() { names.add(kind: load.integer(0), id: load.integer(1), load.bytes(2)) }
    apps[app] = names
    return names
  }

  fileprivate func insert(app: Int64, kind: NameKind, _ text: String) throws -> Int64 {
    insert.bind(app, kind.rawValue)
    insert.bind(text, at: 3)
    defer { insert.reset() }
    return try insert.step() ? insert.integer(0) : 0
  }

  fileprivate func find(app: Int64, kind: NameKind, _ text: String) throws -> Int64? {
    find.bind(app, kind.rawValue)
    find.bind(text, at: 3)
    defer { find.reset() }
    return try find.step() ? find.integer(0) : nil
  }

  /// Takes one text from the allowance of the day of receipt; `false` when nothing is left of it.
  fileprivate func spend(app: Int64, kind: NameKind, received: Int64) -> Bool {
    var spent = spending[app] ?? Spending()
    let day = received / 86_400_000
    if spent.day != day {
      spent.day = day
      spent.texts = Spending().texts
    }
    // Not for each text: a flood brings many.
    if spent.asked.map({ abs(received - $0) >= 1_000 }) ?? true {
      // A catalog that cannot be read is no reason to refuse a batch.
      spent.perDay = (try? perDay(app)) ?? nil
      spent.asked = received
    }
    let isLeft = spent.texts[Int(kind.rawValue)] < spent.perDay ?? kind.dailyAllowance
    if isLeft { spent.texts[Int(kind.rawValue)] += 1 }
    spending[app] = spent
    return isLeft
  }
}

/// The texts of one app and their numbers.
final class AppNames {
  private final class Kind {
    var table: ByteTable
    var ids: [Int64] = []
    /// Texts on disk, of which the table may hold fewer.
    var storedTexts = 0
    init(seed: UInt64) { table = ByteTable(seed: seed) }
  }

  private let app: Int64
  private let seed: UInt64
  private unowned let dictionary: WriterDictionary
  private let kinds: [Kind]

  fileprivate init(app: Int64, dictionary: WriterDictionary, seed: UInt64) {
    self.app = app
    self.seed = seed
    self.dictionary = dictionary
    kinds = NameKind.allCases.map { _ in Kind(seed: seed) }
  }

  fileprivate func add(kind: Int64, id: Int64, _ bytes: UnsafeRawBufferPointer) {
    guard kinds.indices.contains(Int(kind)) else { return }
    let entry = kinds[Int(kind)]
    entry.storedTexts += 1
    if entry.ids.count < dictionary.heldTexts { hold(id, bytes, entry.table.key(bytes), in: entry) }
  }

  /// The number of a text, given out now when it is new; 0 when the app has brought too many.
  ///
  /// - Parameter received: when the text was received, in milliseconds, for the day whose allowance it may need.
  @inline(__always)
  func id(_ kind: NameKind, _ text: String, received: Int64) throws -> Int64 {
    let entry = kinds[Int(kind.rawValue)]
    return try withUTF8(text) { utf8 in
      let bytes = prefix(utf8, atMost: NameKind.maximumBytes)
      let key = entry.table.key(bytes)
      if let number = entry.table.find(bytes, key) { return entry.ids[number] }
      return try add(kind, bytes, key, to: entry, received: received)
    }
  }

  private func add(
    _ kind: NameKind, _ bytes: UnsafeRawBufferPointer, _ key: StringKey, to entry: Kind, received: Int64
  ) throws -> Int64 {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text != WriterDictionary.other else { return 0 }
    if entry.ids.count < entry.storedTexts, let id = try dictionary.find(app: app, kind: kind, text) {
      hold(id, bytes, key, in: entry)
      return id
    }
    guard entry.storedTexts < kind.limit || dictionary.spend(app: app, kind: kind, received: received) else {
      return 0
    }
    let id = try dictionary.insert(app: app, kind: kind, text)
    entry.storedTexts += 1
    hold(id, bytes, key, in: entry)
    return id
  }

  private func hold(_ id: Int64, _ bytes: UnsafeRawBufferPointer, _ key: StringKey, in entry: Kind) {
    if entry.ids.count >= dictionary.heldTexts {
      entry.table = ByteTable(seed: seed)
      entry.ids.removeAll(keepingCapacity: true)
    }
    _ = entry.table.insert(bytes, key)
    entry.ids.append(id)
  }
}
