import Ingest
import RowFiles
import ServerBase
import Warehouse
import WarehouseSQLite

/// A deletion of a person that has begun, and the traces of rows that are gone already.
///
/// The name of an install is deleted first: what the install sends from then on belongs to a new number. So no row is
/// added that the deletion would have to find, and nothing has to be refused while it runs.
struct PersonDeletion: Sendable {
  /// The kinds of traces. The raw values are stored.
  enum Trace: String {
    /// A civil day of the app that lost rows, or whose counts change otherwise.
    case day
    /// The ID of a device of lost rows.
    case device
    /// The ID of a text in the dictionary of lost rows.
    case text
    /// The number of an install with lost rows.
    case install
    /// A user of lost rows.
    case user
    /// The ID of a row that brought an attachment of one of the person's errors, or a piece of one. The row may be someone
    /// else's, and then stays, but its segment is rewritten: a copy of its rows must lose the attachment, too.
    case piece
    /// An identifier that aliases join with the user: no trace of rows, but known from the beginning.
    case identifier
  }

  var id: Int64
  var app: Int64
  /// The name of the person's user or install.
  var name: String
  /// The number of the person's install; `nil` for a user, or if there is no such install.
  var slot: UInt32?
  /// The person's user name in UTF-8; `nil` for an install.
  var user: [UInt8]?
  /// The last row that may be the person's.
  var through: Int64
  /// What names the person: the install or the user, and the identifiers that aliases join with the user.
  private(set) var identifiers: Set<ExactText> = []
  /// The users among these besides ``user``, in UTF-8.
  private var joinedUsers: [[UInt8]] = []
  /// The installs among these: their rows without a user are the person's.
  private(set) var joinedSlots: Set<UInt32> = []
  /// The numbers of ``AliasRecord/name`` in the dictionary.
  private var aliasNames: Set<Int64> = []

  /// True if a row must go.
  @inline(__always)
  func concerns(_ row: EventRow, _ scan: EventScan) -> Bool {
    guard row.app == app, row.id <= through else { return false }
    return isOfPerson(row, scan) || row.flags.kind == .other && isAlias(row, scan)
  }

  @inline(__always)
  private func isOfPerson(_ row: EventRow, _ scan: EventScan) -> Bool {
    guard let user else { return row.slot == slot }
    let bytes = scan.userBytes
    if bytes.isEmpty { return joinedSlots.contains(row.slot) }
    return bytes.elementsEqual(user) || joinedUsers.contains { bytes.elementsEqual($0) }
  }

  /// True if a row of someone else joins them with the person.
  private func isAlias(_ row: EventRow, _ scan: EventScan) -> Bool {
    guard let identifier = scan.alias(of: row, isAlias: aliasNames.contains) else { return false }
    return [identifier, ClientEvent.installName(identifier)].contains { identifiers.contains(ExactText($0)) }
  }

  // MARK: Storage

  private static func kind(_ person: Person) -> (kind: String, name: String) {
    switch person {
    case .install(let name): ("install", WriterInstalls.canonical(name))
    case .user(let name): ("user", name)
    }
  }

  /// Returns the deletion of a person that has begun and not ended.
  static func begun(_ person: Person, app: Int64, _ connection: SQLConnection) throws -> PersonDeletion? {
    let (kind, name) = kind(person)
    let find = try connection.prepare("SELECT id, slot, through FROM deletion WHERE app = ? AND kind = ? AND name = ?")
    var deletion = try find.bind(app, kind, name).first { row in
      PersonDeletion(
        id: row.integer(0), app: app, name: name, slot: row.isNull(1) ? nil : UInt32(clamping: row.integer(1)),
        user: kind == "user" ? Array(name.utf8) : nil, through: row.integer(2))
    }
    try deletion?.loadIdentifiers(connection)
    return deletion
  }

  /// Adds identifiers that aliases join with the user, in the open transaction.
  mutating func join(_ others: [String], _ connection: SQLConnection) throws {
    let new = others.filter { !identifiers.contains(ExactText($0)) }
    guard !new.isEmpty else { return }
    let delete = try connection.prepare("DELETE FROM member WHERE app = ? AND name = ?")
    let add = try connection.prepare("INSERT INTO deletion_trace (deletion, kind, value) VALUES (?, ?, ?)")
    for identifier in new {
      try delete.bind(app, identifier).run()
      try add.bind(id, Trace.identifier.rawValue, identifier).run()
    }
    try loadIdentifiers(connection)
    try tracePieces(connection)
  }

  /// Returns the numbers of ``AliasRecord/name`` in the dictionary.
  static func aliasNames(app: Int64, _ connection: SQLConnection) throws -> Set<Int64> {
    let find = try connection.prepare("SELECT id FROM dictionary WHERE app = ? AND kind IN (?, ?) AND text = ?")
    return Set(
      try find.bind(app, NameKind.logType.rawValue, NameKind.property.rawValue, AliasRecord.name).all { $0.integer(0) })
  }

  /// Loads what follows from the stored identifiers.
  private mutating func loadIdentifiers(_ connection: SQLConnection) throws {
    let joined = try connection.prepare("SELECT value FROM deletion_trace WHERE deletion = ? AND kind = ?")
      .bind(id, Trace.identifier.rawValue).all { $0.text(0) }
    identifiers = Set(([name] + joined).map(ExactText.init))
    joinedUsers = joined.map { Array($0.utf8) }
    // A user who is joined with no one is not the install of the same name.
    if !joined.isEmpty { joinedSlots = Set(try IdentifierLookup(app: app, connection).installs(of: [name] + joined)) }
    aliasNames = try Self.aliasNames(app: app, connection)
  }

  /// Stores the beginning of a deletion, in the open transaction.
  static func begin(
    _ person: Person, app: Int64, through row: Int64, _ connection: SQLConnection
  ) throws -> PersonDeletion {
    let (kind, name) = kind(person)
    let insert = try connection.prepare(
      "INSERT INTO deletion (app, kind, name, through, slot) VALUES (?, ?, ?, ?, ?) RETURNING id")
    insert.bind(app, kind, name, row)
    var deletion = PersonDeletion(id: 0, app: app, name: name, through: row)
    switch person {
    case .install(let name):
      deletion.slot = try WriterInstalls.storedSlot(app: app, install: name, connection)
      try WriterInstalls.delete(app: app, install: name, connection)
    case .user(let name):
      deletion.user = Array(name.utf8)
      try connection.prepare("DELETE FROM member WHERE app = ? AND name = ?").bind(app, name).run()
    }
    if let slot = deletion.slot { insert.bind(Int64(slot), at: 5) } else { insert.bindNull(at: 5) }
    deletion.id = try insert.insertedID()
    try deletion.loadIdentifiers(connection)
    try deletion.tracePieces(connection)
    return deletion
  }

  /// Notes the rows that brought attachments of the person's errors.
  private func tracePieces(_ connection: SQLConnection) throws {
    let slots = joinedSlots.map(String.init).joined(separator: ",")
    let isOfPerson =
      user == nil
      ? "e.slot = ?3"
      : """
      (e.user IN (
        SELECT name FROM deletion WHERE id = ?1
        UNION ALL SELECT value FROM deletion_trace WHERE deletion = ?1 AND kind = '\(Trace.identifier.rawValue)'
      ) OR e.user IS NULL AND e.slot IN (\(slots)))
      """
    let errors = "error e WHERE e.app = ?2 AND \(isOfPerson) AND e.id <= ?4"
    // More attachments name an error than it could claim, or they are being sent.
    try connection.prepare(
      """
      UPDATE attachment SET owner = e.id FROM (SELECT e.id, e.name FROM \(errors) AND e.name <> '') e
      WHERE app = ?2 AND owner = 0 AND error = e.name
      """
    ).bind(id, app, Int64(slot ?? 0), through).run()
    try ErrorRoom.rebuild(connection)
    try connection.prepare(
      """
      INSERT OR IGNORE INTO deletion_trace
      SELECT ?1, '\(Trace.piece.rawValue)', row FROM (
        SELECT p.row AS row FROM attachment a JOIN attachment_part p ON p.attachment = a.id
        WHERE a.app = ?2 AND a.owner IN (SELECT e.id FROM \(errors)) AND p.row > 0
        UNION SELECT r.row FROM removed_piece r
        WHERE r.app = ?2 AND r.error IN (SELECT e.name FROM \(errors) AND e.name <> '')
      )
      """
    ).bind(id, app, Int64(slot ?? 0), through).run()
  }

  func add(_ traces: PersonTraces, _ connection: SQLConnection) throws {
    let insert = try connection.prepare(
      "INSERT OR IGNORE INTO deletion_trace (deletion, kind, value) VALUES (?, ?, ?)")
    func add(_ kind: Trace, _ values: some Sequence<any SQLValue>) throws {
      for value in values { try insert.bind(id, kind.rawValue, value).run() }
    }
    try add(.day, traces.days.map { Int64($0) })
    try add(.device, traces.devices.map { $0 })
    try add(.text, traces.texts.map { $0 })
    try add(.install, traces.slots.map { Int64($0) })
    try add(.user, traces.users.map { $0 })
  }

  func traces(_ connection: SQLConnection) throws -> PersonTraces {
    let load = try connection.prepare("SELECT value FROM deletion_trace WHERE deletion = ? AND kind = ?")
    func numbers(_ kind: Trace) throws -> [Int64] { try load.bind(id, kind.rawValue).all { $0.integer(0) } }
    var traces = PersonTraces()
    traces.days = Set(try numbers(.day).map { TimeBounds.clamp(day: Int($0)) })
    traces.devices = Set(try numbers(.device))
    traces.texts = Set(try numbers(.text))
    traces.slots = Set(try numbers(.install).map { UInt32(clamping: $0) })
    traces.users = Set(try load.bind(id, Trace.user.rawValue).all { Array($0.bytes(0)) })
    return traces
  }

  /// Returns the person's name, and those of installs and users that have no rows any more.
  func names(_ unused: PersonTraces, _ connection: SQLConnection) throws -> Set<String> {
    var names = Set(unused.users.map { String(decoding: $0, as: UTF8.self) })
    names.formUnion(identifiers.map(\.text))
    let find = try connection.prepare("SELECT name FROM install WHERE app = ? AND slot = ?")
    for slot in unused.slots {
      names.formUnion(try find.bind(app, Int64(slot)).all { WriterInstalls.name($0, 0) })
    }
    return names
  }

  /// Returns the rows that brought attachments of the person's errors.
  func pieces(_ connection: SQLConnection) throws -> Set<Int64> {
    Set(
      try connection.prepare("SELECT value FROM deletion_trace WHERE deletion = ? AND kind = ?")
        .bind(id, Trace.piece.rawValue).all { $0.integer(0) })
  }

  func delete(_ connection: SQLConnection) throws {
    try connection.prepare("DELETE FROM deletion_trace WHERE deletion = ?").bind(id).run()
    try connection.prepare("DELETE FROM deletion WHERE id = ?").bind(id).run()
  }
}

/// The traces of rows: the days, numbers and texts that they name.
struct PersonTraces: Sendable {
  var days: Set<Int> = []
  var devices: Set<Int64> = []
  var texts: Set<Int64> = []
  var slots: Set<UInt32> = []
  /// User names in UTF-8.
  var users: Set<[UInt8]> = []

  mutating func insert(_ row: EventRow, _ scan: EventScan) {
    devices.insert(row.device)
    texts.insert(row.name)
    slots.insert(row.slot)
    if !scan.userBytes.isEmpty { users.insert(Array(scan.userBytes)) }
    PropertyCoding.forEach(scan.properties) { name, _ in texts.insert(Int64(bitPattern: name)) }
  }

  /// Removes what a row names.
  mutating func remove(_ row: EventRow, _ scan: EventScan) {
    devices.remove(row.device)
    texts.remove(row.name)
    slots.remove(row.slot)
    if !users.isEmpty, !scan.userBytes.isEmpty { users.remove(Array(scan.userBytes)) }
    if !texts.isEmpty { PropertyCoding.forEach(scan.properties) { name, _ in texts.remove(Int64(bitPattern: name)) } }
  }
}

/// The traces that no remaining row has, and the hits of installs that lost rows.
struct PersonRemains: Sendable {
  /// The last row read.
  private(set) var through: Int64 = 0
  /// The traces that no row has.
  private(set) var unused: PersonTraces
  /// The last hit of each install that lost rows and has others.
  private(set) var lastHits: [UInt32: Int64] = [:]
  /// The hits that begin a session now that an earlier hit is gone.
  private(set) var sessionStarts: Set<Int64> = []
  /// The texts that counts name of days whose rows are gone.
  private(set) var countedTexts: Set<Int64> = []
  private let affected: Set<UInt32>
  private let app: Int64

  init(_ traces: PersonTraces, app: Int64) {
    unused = traces
    affected = traces.slots
    self.app = app
  }

  /// Reads the texts that counts name; needs a connection with the counts.
  mutating func readCounts(_ connection: SQLConnection, lastDay: Int) throws {
    for select in [
      "key FROM daily_count", "key FROM daily_users", "event FROM property_values", "property FROM property_values",
    ] {
      let load = try connection.prepare("SELECT DISTINCT \(select) WHERE app = ? AND day <= ?")
      countedTexts.formUnion(try load.bind(app, Int64(lastDay)).all { $0.integer(0) })
    }
  }

  /// Reads the rows after those read before.
  mutating func read(_ connection: SQLConnection, damage: DamagedRows) throws {
    let last = try StoredSpan.lastRow(connection)
    let spans = try StoredSpan.all(connection, after: through).filter { $0.apps.contains(app) }
    let scan = EventScan(connection, spans, after: through, damage: damage)
    while let row = try scan.next() {
      guard row.app == app else { continue }
      unused.remove(row, scan)
      guard row.flags.isMeasurement, row.flags.kind != .drops, affected.contains(row.slot) else { continue }
      let last = lastHits[row.slot]
      // Without earlier hits, more hits begin a session, never fewer.
      if !row.flags.startsSession, last.map({ EventTime(row.time) - EventTime($0) > LastHits.pause }) ?? true {
        sessionStarts.insert(row.id)
      }
      lastHits[row.slot] = max(last ?? row.time, row.time)
    }
    through = max(through, last)
  }
}
