import RowFiles
import ServerBase
import Warehouse

/// The writer's dictionary: IDs of texts per app, cached in memory.
///
/// ID 0 is "(other)" for every kind.
package final class WriterDictionary {
  static let other = Dimension.otherKey

  /// An app's use of one day's allowance.
  struct Spending {
    var day = Int64.min
    /// The operator's limit for each kind; `nil` for the default.
    var perDay: Int?
    /// The time at which the limit was read.
    var limitRead: Int64?
    var texts = [Int](repeating: 0, count: NameKind.allCases.count)
    /// The texts beyond the allowance.
    var candidates = [NameCandidates](repeating: NameCandidates(), count: NameKind.allCases.count)
  }

  private let insert: SQLStatement
  private let load: SQLStatement
  private let find: SQLStatement
  private let seed: UInt64
  private let perDay: (Int64) throws -> Int?
  /// The number of texts of one kind cached in memory per app; others are looked up on disk.
  fileprivate let heldTexts: Int
  private var apps: [Int64: AppNames] = [:]
  /// Survives `forget`, so that failing transactions don't renew the allowance. A restart does renew it, which saves
  /// storing it.
  private var spending: [Int64: Spending] = [:]

  /// - Parameter perDay: Returns the operator's daily limit of new texts of each kind for an app; `nil` for the
  ///   default.
  init(
    _ connection: SQLConnection, seed: UInt64, heldTexts: Int = 50_000,
    perDay: @escaping (_ app: Int64) throws -> Int? = { _ in nil }
  ) throws {
    insert = try connection.prepare("INSERT INTO dictionary (app, kind, text) VALUES (?, ?, ?) RETURNING id")
    load = try connection.prepare("SELECT kind, id, text FROM dictionary WHERE app = ?")
    find = try connection.prepare("SELECT id FROM dictionary WHERE app = ? AND kind = ? AND text = ?")
    self.seed = seed
    self.heldTexts = heldTexts
    self.perDay = perDay
  }

  /// Clears the cache, after a rollback revoked assigned IDs.
  func forget() { apps = [:] }

  /// Returns the texts of one app. Don't keep them beyond a transaction.
  package func names(app: Int64) throws -> AppNames {
    if let names = apps[app] { return names }
    let names = AppNames(app: app, dictionary: self, seed: seed)
    load.bind(app)
    while try load.step() { names.add(kind: load.integer(0), id: load.integer(1), load.bytes(2)) }
    apps[app] = names
    return names
  }

  fileprivate func insert(app: Int64, kind: NameKind, _ text: String) throws -> Int64 {
    try insert.bind(app, kind.rawValue, text).first { $0.integer(0) } ?? 0
  }

  fileprivate func find(app: Int64, kind: NameKind, _ text: String) throws -> Int64? {
    try find.bind(app, kind.rawValue, text).first { $0.integer(0) }
  }

  /// Uses one text of the allowance for the day of receipt; returns false if it is used up. Half as many again are only for
  /// texts that several installs use.
  fileprivate func spend(app: Int64, kind: NameKind, _ key: StringKey, slot: UInt32?, received: Int64) -> Bool {
    var spent = spending[app] ?? Spending()
    let day = received / 86_400_000
    if spent.day != day {
      spent.day = day
      spent.texts = Spending().texts
      spent.candidates = Spending().candidates
    }
    // Don't read the limit for every text: a flood brings many.
    if spent.limitRead.map({ abs(received - $0) >= 1_000 }) ?? true {
      // An unreadable catalog is no reason to refuse a batch.
      spent.perDay = (try? perDay(app)) ?? nil
      spent.limitRead = received
    }
    let (index, allowance) = (Int(kind.rawValue), spent.perDay ?? kind.dailyAllowance)
    var isLeft = spent.texts[index] < allowance
    if !isLeft, let slot, spent.texts[index] < allowance + allowance / 2 {
      isLeft = spent.candidates[index].note(key.hash, by: slot)
    }
    if isLeft { spent.texts[index] += 1 }
    spending[app] = spent
    return isLeft
  }
}

/// The texts of one app and their IDs.
package final class AppNames {
  private final class Kind {
    var table: ByteTable
    var ids: [Int64] = []
    /// The number of texts on disk; the cache may hold fewer.
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

  /// Returns the ID of a text, assigning one if it is new; 0 if the app has too many.
  ///
  /// - Parameters:
  ///   - slot: The install that uses the text; `nil` if that isn't known.
  ///   - received: The time of receipt, in milliseconds, which decides whose day's allowance it may use.
  @inline(__always)
  package func id(_ kind: NameKind, _ text: String, slot: UInt32? = nil, received: Int64) throws -> Int64 {
    let entry = kinds[Int(kind.rawValue)]
    return try withUTF8(text) { utf8 in
      let bytes = prefix(utf8, atMost: NameKind.maximumBytes)
      let key = entry.table.key(bytes)
      if let number = entry.table.find(bytes, key) { return entry.ids[number] }
      return try add(kind, bytes, key, to: entry, slot: slot, received: received)
    }
  }

  private func add(
    _ kind: NameKind, _ bytes: UnsafeRawBufferPointer, _ key: StringKey, to entry: Kind, slot: UInt32?,
    received: Int64
  ) throws -> Int64 {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text != Dimension.otherKey else { return 0 }
    if entry.ids.count < entry.storedTexts, let id = try dictionary.find(app: app, kind: kind, text) {
      hold(id, bytes, key, in: entry)
      return id
    }
    guard
      entry.storedTexts < kind.limit
        || dictionary.spend(app: app, kind: kind, key, slot: slot, received: received)
    else { return 0 }
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
