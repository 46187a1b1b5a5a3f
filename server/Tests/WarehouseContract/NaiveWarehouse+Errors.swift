import Ingest
package import TernEvents
package import Warehouse

extension NaiveWarehouse {
  package func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorGroup] {
    let state = try stored()
    let errors = state.rows.filter {
      $0.app == app && days.contains($0.day) && $0.group != nil && (group == nil || $0.group == group)
        && chosen?.contains($0.id) ?? true
    }
    let groups = Dictionary(grouping: errors) { $0.group ?? 0 }.map { id, rows in
      Self.group(id, state.groups[Int(id) - 1], rows, withDays: group != nil)
    }.sorted { ($1.count, $1.last, $0.id) < ($0.count, $0.last, $1.id) }
    let listed = [StoredKind.handledError, .crash].map { kind in groups.filter { $0.kind == kind }.prefix(max(0, limit))
    }
    return groups.filter { listed.joined().contains($0) }
  }

  private static func group(_ id: Int64, _ group: Group, _ rows: [Row], withDays: Bool) -> ErrorGroup {
    func users(_ rows: [Row]) -> Int { Set(rows.map(\.install)).count }
    func totals(_ label: (Row) -> String) -> [KeyTotals] {
      Dictionary(grouping: rows, by: label).map { KeyTotals(key: $0, count: $1.count, users: 0) }
        .sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    }
    let days = Dictionary(grouping: rows, by: \.day).map { day, rows in
      DailyTotals(day: day, count: rows.count, users: users(rows))
    }
    let versions = totals { DeviceLabels($0.device).version }
    var result = ErrorGroup(
      id: id, kind: group.kind, type: group.error.type, place: group.error.place,
      message: String(group.error.message.prefix(300)), count: rows.count, users: users(rows), versions: versions,
      days: withDays ? days.sorted { $0.day < $1.day } : [],
      last: Timestamp(millisecondsSince1970: rows.map(\.time).max() ?? 0))
    result.withoutSession = rows.count { $0.event.session == 0 }
    if withDays {
      result.systems = totals { DeviceLabels($0.device).system }
      result.models = totals(\.device.model)
      result.countries = totals { CanonicalCode.country($0.device.country) }
    }
    return result
  }

  package func errorSignature(app: AppID, error: Int64) async throws -> Int64? {
    try await self.error(app: app, id: error)?.occurrence.group
  }

  package func errorGroupMembers(app: AppID, _ group: Int64) async throws -> [Int64] {
    try await errorGroupNumbers(app: app, [group]).map(\.value)
  }

  package func errorGroupNumbers(app: AppID, _ ids: Set<Int64>) async throws -> [Int64: Int64] {
    let known = try stored().groups.enumerated().filter { $0.element.app == app }.map { Int64($0.offset + 1) }
    return Dictionary(uniqueKeysWithValues: ids.intersection(known).map { ($0, $0) })
  }

  package func errorVersions(app: AppID, since: [Int64: Timestamp]) async throws -> [Int64: Set<String>] {
    var versions: [Int64: Set<String>] = [:]
    for row in try stored().rows where row.app == app {
      guard let group = row.group, let time = since[group], row.received >= time.millisecondsSince1970 else { continue }
      versions[group, default: []].insert(DeviceLabels(row.device).version)
    }
    return versions
  }

  package func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorOccurrence] {
    try stored().rows.filter {
      $0.app == app && $0.group == group && days.contains($0.day) && chosen?.contains($0.id) ?? true
    }
    .sorted { ($1.time, $1.id) < ($0.time, $0.id) }.prefix(max(0, limit)).map(\.occurrence)
  }

  package func error(app: AppID, id: Int64) async throws -> ErrorDetail? {
    let state = try stored()
    guard let row = state.rows.first(where: { $0.app == app && $0.id == id }), let error = row.error,
      let group = row.group
    else { return nil }
    let before = state.rows.filter {
      $0.app == app && $0.install == row.install && row.event.session != 0 && $0.event.session == row.event.session
        && $0.id != id && (row.time - 86_400_000...row.time).contains($0.time)
        && ![.attachment, .attachmentPart].contains($0.event.kind)
    }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    return ErrorDetail(
      occurrence: row.occurrence, kind: row.event.kind, type: state.groups[Int(group) - 1].error.type,
      message: error.message, stack: error.stack, raw: String(decoding: error.raw, as: UTF8.self), isTextKept: true,
      properties: row.event.properties, before: before.suffix(100).map(\.listed),
      attachments: state.attachments.filter { $0.value.app == app && $0.value.owner == id && $0.value.isComplete }
        .sorted { $0.key < $1.key }.prefix(100).map { Self.facts($0.key, $0.value) })
  }

  private static func facts(_ id: Int64, _ attachment: Attachment) -> AttachmentFacts {
    AttachmentFacts(
      id: id, name: attachment.first.name, contentType: attachment.first.contentType, bytes: attachment.data.count)
  }

  package func attachment(app: AppID, id: Int64) async throws -> (facts: AttachmentFacts, data: [UInt8])? {
    guard let found = try stored().attachments[id], found.app == app, found.isComplete else { return nil }
    return (Self.facts(id, found), found.data)
  }
}

extension NaiveWarehouse.Row {
  /// The error in lists.
  fileprivate var occurrence: ErrorOccurrence {
    ErrorOccurrence(
      id: id, group: group ?? 0, name: error?.id ?? "", time: Timestamp(millisecondsSince1970: time),
      received: Timestamp(millisecondsSince1970: received), install: install, user: event.user, device: device)
  }
}
