import Ingest
import RowFiles
import ServerBase
package import TernEvents
package import Warehouse

extension WarehouseReader {
  private func calendar(_ app: AppID) throws -> ZoneCalendar? {
    try catalog.app(app).map { ZoneCalendar($0.zone) }
  }

  /// Returns the times to which the days may extend in any time zone.
  static func times(around days: ClosedRange<Day>) -> ClosedRange<Int64> {
    Int64(days.lowerBound.number - 1) * 86_400_000...Int64(days.upperBound.number + 2) * 86_400_000
  }

  /// The totals of a group while its errors are read.
  private struct Sums {
    var count = 0
    var withoutSession = 0
    var slots: Set<UInt32> = []
    var devices: [Int64: Int] = [:]
    var days: [Int: (count: Int, slots: Set<UInt32>)] = [:]
    var last = Int64.min
  }

  /// Returns the error groups of a range; see ``MetricsStore/errorGroups(app:group:days:among:limit:)``.
  package func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorGroup] {
    try await reading { [self] connection in
      guard let calendar = try calendar(app) else { return [] }
      let times = Self.times(around: days)
      let statement = try connection.prepare(
        group == nil
          ? "SELECT grp, t, slot, device, app, id, session FROM error WHERE app = ?1 AND t BETWEEN ?2 AND ?3"
          : """
          SELECT grp, t, slot, device, app, id, session FROM error
          WHERE grp IN (\(Self.signatures(of: "?4"))) AND t BETWEEN ?2 AND ?3
          """)
      statement.bind(app.rawValue, times.lowerBound, times.upperBound)
      if let group { statement.bind(group, at: 4) }
      let numbers = group == nil ? try Self.groupNumbers(app, connection) : [:]
      var sums: [Int64: Sums] = [:]
      while try statement.step() {
        let day = calendar.day(of: statement.integer(1))
        guard days.contains(Day(number: day)), statement.integer(4) == app.rawValue,
          chosen?.contains(statement.integer(5)) ?? true
        else { continue }
        let slot = UInt32(clamping: statement.integer(2))
        let number = group ?? numbers[statement.integer(0)] ?? statement.integer(0)
        Self.add(
          slot, at: statement.integer(1), day: day, device: statement.integer(3), to: &sums[number, default: Sums()],
          withDays: group != nil)
        if statement.integer(6) == 0 { sums[number]?.withoutSession += 1 }
      }
      var groups = try sums.compactMap { try self.group($0, $1, connection, isSingle: group != nil) }
      groups.sort { ($1.count, $1.last, $0.id) < ($0.count, $0.last, $1.id) }
      var left = [StoredKind.handledError: limit, .crash: limit]
      return groups.filter { group in
        left[group.kind, default: 0] -= 1
        return left[group.kind, default: 0] >= 0
      }
    }
  }

  /// A query of the signatures of a group, which any of their numbers names.
  static func signatures(of number: String) -> String {
    "SELECT m.id FROM error_group g JOIN error_group m ON \(ErrorGroups.isSameGroup) WHERE g.id = \(number)"
  }

  /// A query of the current number of a group, by any of its numbers and the app.
  static func groupNumber(_ connection: SQLConnection) throws -> SQLStatement {
    try connection.prepare(
      """
      SELECT (SELECT min(m.id) FROM error_group m WHERE \(ErrorGroups.isSameGroup)) FROM error_group g
      WHERE id = ? AND app = ?
      """)
  }

  /// Returns the group of each signature of an app.
  private static func groupNumbers(_ app: AppID, _ connection: SQLConnection) throws -> [Int64: Int64] {
    let statement = try connection.prepare(
      kept: "SELECT id, min(id) OVER (PARTITION BY kind, key) FROM error_group WHERE app = ?")
    statement.bind(app.rawValue)
    var numbers: [Int64: Int64] = [:]
    while try statement.step() { numbers[statement.integer(0)] = statement.integer(1) }
    return numbers
  }

  private static func add(
    _ slot: UInt32, at time: Int64, day: Int, device: Int64, to sums: inout Sums, withDays: Bool
  ) {
    sums.count += 1
    sums.slots.insert(slot)
    sums.devices[device, default: 0] += 1
    sums.last = max(sums.last, time)
    guard withDays else { return }
    sums.days[day, default: (0, [])].count += 1
    sums.days[day]?.slots.insert(slot)
  }

  private func group(
    _ id: Int64, _ sums: Sums, _ connection: SQLConnection, isSingle: Bool
  ) throws -> ErrorGroup? {
    let statement = try connection.prepare(ErrorGroups.facts)
    statement.bind(id)
    guard try statement.step() else { return nil }
    var keys: [[ExactText: Int]] = Array(repeating: [:], count: 4)
    let devices = try Self.devices(connection)
    for (number, count) in sums.devices {
      let device = try self.device(number, devices, connection)
      let labels = DeviceLabels(device)
      let texts =
        isSingle
        ? [labels.version, labels.system, device.model, CanonicalCode.country(device.country)] : [labels.version]
      for (list, text) in texts.enumerated() { keys[list][ExactText(text), default: 0] += count }
    }
    let lists = keys.map { keys in
      keys.map { KeyTotals(key: $0.text, count: $1, users: 0) }.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    }
    var group = ErrorGroup(
      id: id, kind: StoredKind(rawValue: Int(statement.integer(0))) ?? .crash, type: statement.text(1),
      place: statement.text(2), message: statement.text(3), count: sums.count, users: sums.slots.count,
      versions: lists[0],
      days: sums.days.sorted { $0.key < $1.key }.map {
        DailyTotals(day: Day(number: $0), count: $1.count, users: $1.slots.count)
      }, last: Timestamp(millisecondsSince1970: sums.last))
    (group.systems, group.models, group.countries) = (lists[1], lists[2], lists[3])
    group.withoutSession = sums.withoutSession
    return group
  }

  /// Returns the versions of later errors; see ``MetricsStore/errorVersions(app:since:)``.
  package func errorVersions(app: AppID, since: [Int64: Timestamp]) async throws -> [Int64: Set<String>] {
    try await reading { [self] connection in
      // By the time of receipt: a device's clock may be wrong, and events wait for a connection.
      let statement = try connection.prepare(
        "SELECT DISTINCT device FROM error WHERE grp IN (\(Self.signatures(of: "?1"))) AND app = ?2 AND t + lag >= ?3")
      let devices = try Self.devices(connection)
      var versions: [Int64: Set<String>] = [:]
      for (group, time) in since {
        statement.bind(group, app.rawValue, time.millisecondsSince1970)
        var found: [Int64] = []
        while try statement.step() { found.append(statement.integer(0)) }
        statement.reset()
        let labels = try found.map { DeviceLabels(try device($0, devices, connection)).version }
        if !labels.isEmpty { versions[group] = Set(labels) }
      }
      return versions
    }
  }

  /// Returns the occurrences of a group; see ``MetricsStore/errors(app:group:days:among:limit:)``.
  package func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorOccurrence] {
    try await reading { [self] connection in
      guard let calendar = try calendar(app) else { return [] }
      let times = Self.times(around: days)
      let statement = try connection.prepare(
        "SELECT \(Self.errorColumns) FROM error WHERE grp = ? AND t BETWEEN ? AND ? ORDER BY t DESC, id DESC")
      let devices = try Self.devices(connection)
      var errors: [ErrorOccurrence] = []
      // The newest of each signature: sorting all errors of a large group would take long.
      for signature in try connection.prepare(Self.signatures(of: "?")).bind(group).all({ $0.integer(0) }) {
        statement.bind(signature, times.lowerBound, times.upperBound)
        var count = 0
        while count < limit, try statement.step() {
          let day = Day(number: calendar.day(of: statement.integer(3)))
          guard days.contains(day), statement.integer(1) == app.rawValue,
            chosen?.contains(statement.integer(0)) ?? true
          else { continue }
          var error = try occurrence(statement, devices, connection)
          error.group = group
          errors.append(error)
          count += 1
        }
        statement.reset()
        // A flood can make many stacks of one group.
        if errors.count / 2 > limit { errors = Self.newest(errors, limit) }
      }
      return Self.newest(errors, limit)
    }
  }

  private static func newest(_ errors: [ErrorOccurrence], _ limit: Int) -> [ErrorOccurrence] {
    Array(errors.sorted { ($1.time, $1.id) < ($0.time, $0.id) }.prefix(limit))
  }

  private static let errorColumns = "id, app, grp, t, lag, slot, device, session, name, user"

  private func occurrence(
    _ statement: SQLStatement, _ devices: SQLStatement, _ connection: SQLConnection
  ) throws -> ErrorOccurrence {
    let time = statement.integer(3)
    return ErrorOccurrence(
      id: statement.integer(0), group: statement.integer(2), name: statement.text(8),
      time: Timestamp(millisecondsSince1970: time),
      received: Timestamp(millisecondsSince1970: EventTime(time &+ statement.integer(4)).milliseconds),
      install: Int(statement.integer(5)),
      user: statement.text(9), device: try device(statement.integer(6), devices, connection))
  }

  /// The query of ``device(_:_:_:)``, prepared once for many calls.
  static func devices(_ connection: SQLConnection) throws -> SQLStatement {
    try connection.prepare(kept: "SELECT facts FROM device WHERE id = ?")
  }

  func device(_ id: Int64, _ statement: SQLStatement, _ connection: SQLConnection) throws -> IncomingDevice {
    try statement.bind(id).first { row in
      try WriterDevices.decode(row.bytes(0)) { try dictionary.text($0, connection) }
    } ?? IncomingDevice()
  }

  /// Returns all details of one error; see ``MetricsStore/error(app:id:)``.
  package func error(app: AppID, id: Int64) async throws -> ErrorDetail? {
    try await reading { [self] connection in
      let statement = try connection.prepare("SELECT \(Self.errorColumns) FROM error WHERE id = ? AND app = ?")
      statement.bind(id, app.rawValue)
      guard try statement.step() else { return nil }
      var error = try occurrence(statement, try Self.devices(connection), connection)
      let text = try connection.prepare(kept: "SELECT message, stack, raw FROM error_text WHERE id = ?")
      text.bind(id)
      let hasText = try text.step()
      let group = try connection.prepare(kept: "SELECT kind, type FROM error_group WHERE id = ?")
      group.bind(error.group)
      let hasGroup = try group.step()
      let number = try Self.groupNumber(connection).bind(error.group, app.rawValue).first { $0.integer(0) }
      error.group = number ?? error.group
      return ErrorDetail(
        occurrence: error, kind: hasGroup ? StoredKind(rawValue: Int(group.integer(0))) ?? .crash : .crash,
        type: hasGroup ? group.text(1) : "", message: hasText ? text.text(0) : "", stack: hasText ? text.text(1) : "",
        raw: hasText ? text.text(2) : "", isTextKept: hasText, properties: try properties(of: error, connection),
        before: try events(
          before: error, app: app, session: statement.integer(7), limit: 100, connection),
        attachments: try attachments(of: error.id, app: app, connection))
    }
  }

  private func properties(of error: ErrorOccurrence, _ connection: SQLConnection) throws -> [Properties.Element] {
    let scan = try EventScan(connection, ids: error.id...error.id)
    guard try scan.next() != nil else { return [] }
    return try PropertyCoding.decode(scan.properties) { try dictionary.text($0, connection) }
  }

  private func attachments(
    of error: Int64, app: AppID, _ connection: SQLConnection
  ) throws -> [AttachmentFacts] {
    let statement = try connection.prepare(
      kept: """
        SELECT id, file, type, bytes FROM attachment WHERE app = ? AND owner = ? AND stored = parts ORDER BY id LIMIT 100
        """)
    return try statement.bind(app.rawValue, error).all(Self.facts)
  }

  private static func facts(_ statement: SQLStatement) -> AttachmentFacts {
    AttachmentFacts(
      id: statement.integer(0), name: statement.text(1), contentType: statement.text(2),
      bytes: Int(statement.integer(3)))
  }

  /// Returns an attachment with its bytes; see ``MetricsStore/attachment(app:id:)``.
  package func attachment(app: AppID, id: Int64) async throws -> (facts: AttachmentFacts, data: [UInt8])? {
    try await reading { connection in
      let statement = try connection.prepare(
        kept: "SELECT id, file, type, bytes FROM attachment WHERE id = ? AND app = ? AND stored = parts")
      statement.bind(id, app.rawValue)
      guard try statement.step() else { return nil }
      let facts = Self.facts(statement)
      let parts = try connection.prepare(kept: "SELECT data FROM attachment_part WHERE attachment = ? ORDER BY part")
      parts.bind(id)
      var data: [UInt8] = []
      data.reserveCapacity(facts.bytes)
      while try parts.step() { data += parts.bytes(0) }
      return (facts, data)
    }
  }
}
