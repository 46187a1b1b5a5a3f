import Foundation
import Ingest
import TernEvents

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// A warehouse without any optimization: it keeps all events and counts them on each read.
///
/// It shares no code with the real one, including the calendar.
final class NaiveWarehouse {
  struct Entry {
    var app: AppID
    var day: Day
    var event: IncomingEvent
    var install: String
    var device: IncomingDevice
    var starts: Bool
  }

  private(set) var entries: [Entry] = []
  private var rejected: [(app: AppID, day: Day, reason: String)] = []
  private var keys: Set<DuplicateKey> = []
  private var lastHits: [String: Int64] = [:]
  private let zones: [AppID: String]
  private var calendars: [AppID: Calendar] = [:]

  init(zones: [AppID: String]) { self.zones = zones }

  func commit(_ batch: IncomingBatch, app: AppID) -> CommitReceipt {
    var receipt = CommitReceipt()
    for event in batch.events {
      if let key = event.duplicateKey, !keys.insert(key).inserted {
        receipt.duplicates.append(event.index)
        continue
      }
      receipt.accepted += 1
      let install = batch.installs[event.install]
      var starts = event.startsSession
      if batch.source == .measurement, event.kind != .drops {
        let time = event.time.millisecondsSince1970
        let last = lastHits["\(app)/\(install)"]
        if last.map({ time - $0 > 30 * 60_000 }) ?? true { starts = true }
        lastHits["\(app)/\(install)"] = max(last ?? time, time)
      }
      entries.append(
        Entry(
          app: app, day: day(event.time, app), event: event, install: install, device: batch.devices[event.device],
          starts: starts))
    }
    for rejection in batch.rejections { rejected.append((app, day(batch.received, app), rejection.reason)) }
    return receipt
  }

  private func day(_ time: Timestamp, _ app: AppID) -> Day {
    var calendar = calendars[app] ?? Calendar(identifier: .gregorian)
    if calendars[app] == nil {
      calendar.timeZone = TimeZone(identifier: zones[app] ?? "UTC") ?? .gmt
      calendars[app] = calendar
    }
    let date = Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1_000)
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
  }

  /// Returns an entry's contributions: key, count, and whether its install is a user of the key.
  private func contributions(_ entry: Entry, _ dimension: Warehouse::Dimension) -> [(String, Int, Bool)] {
    let kind = entry.event.kind
    if kind == .drops {
      guard dimension == .dropped else { return [] }
      return entry.event.properties.compactMap { property in
        guard case .integer(let count) = property.value, count > 0 else { return nil }
        return (property.name, Int(count), false)
      }
    }
    let one = kind == .event ? 1 : 0
    switch dimension {
    case .total: return [("", one, true)]
    case .event: return kind == .event ? [(entry.event.name, 1, true)] : []
    case .screen: return kind == .screen ? [(entry.event.name, 1, true)] : []
    case .version: return [("\(entry.device.appVersion) (\(entry.device.appBuild))", one, true)]
    case .os: return [("\(entry.device.osName) \(entry.device.osVersion)", one, true)]
    case .model: return [(entry.device.model, one, true)]
    case .country: return [(entry.device.country, one, true)]
    case .language: return [(String(entry.device.locale.prefix(2)), one, true)]
    case .session: return entry.starts ? [("", 1, true)] : []
    case .kind:
      let names: [StoredKind: String] = [.handledError: "handled_error", .crash: "crash", .other: "other"]
      return names[kind].map { [($0, 1, true)] } ?? []
    case .dropped, .property: return []
    }
  }

  private func metrics(
    _ app: AppID, _ dimension: Warehouse::Dimension, _ days: ClosedRange<Day>
  ) -> [Day: [String: (count: Int, users: Set<String>)]] {
    var metrics: [Day: [String: (count: Int, users: Set<String>)]] = [:]
    for entry in entries where entry.app == app && days.contains(entry.day) {
      for (key, count, isUser) in contributions(entry, dimension) {
        metrics[entry.day, default: [:]][key, default: (0, [])].count += count
        if isUser { metrics[entry.day, default: [:]][key, default: (0, [])].users.insert(entry.install) }
      }
    }
    if dimension == .dropped {
      for entry in rejected where entry.app == app && days.contains(entry.day) {
        metrics[entry.day, default: [:]]["rejected:" + entry.reason, default: (0, [])].count += 1
      }
    }
    return metrics
  }

  func dailyCounts(_ app: AppID, _ dimension: Warehouse::Dimension, _ days: ClosedRange<Day>) -> [DailyCount] {
    metrics(app, dimension, days).flatMap { day, keys in
      keys.filter { $0.value.count > 0 }.map { DailyCount(day: day, key: $0.key, count: $0.value.count) }
    }.sorted { ($0.day, $0.key) < ($1.day, $1.key) }
  }

  func totals(_ app: AppID, _ dimension: Warehouse::Dimension, _ days: ClosedRange<Day>) -> [KeyTotals] {
    var sums: [String: (count: Int, users: Set<String>)] = [:]
    for keys in metrics(app, dimension, days).values {
      for (key, metrics) in keys {
        sums[key, default: (0, [])].count += metrics.count
        sums[key, default: (0, [])].users.formUnion(metrics.users)
      }
    }
    return sums.map { KeyTotals(key: $0.key, count: $0.value.count, users: $0.value.users.count) }
      .sorted { ($1.count, $0.key) < ($0.count, $1.key) }
  }

  func series(_ app: AppID, _ dimension: Warehouse::Dimension, _ key: String, _ days: ClosedRange<Day>)
    -> [DailyTotals]
  {
    metrics(app, dimension, days).compactMap { day, keys in
      keys[key].map { DailyTotals(day: day, count: $0.count, users: $0.users.count) }
    }.sorted { $0.day < $1.day }
  }

  func activity(_ app: AppID, _ days: ClosedRange<Day>) -> [DailyActivity] {
    func users(_ day: Day, _ length: Int) -> Int {
      let window = Day(number: day.number - length + 1)...day
      return Set(entries.filter { $0.app == app && window.contains($0.day) && $0.event.kind != .drops }.map(\.install))
        .count
    }
    return days.map { DailyActivity(day: $0, daily: users($0, 1), weekly: users($0, 7), monthly: users($0, 30)) }
  }

  func properties(_ app: AppID, _ event: String, _ days: ClosedRange<Day>) -> [PropertyTotals] {
    var values: [String: [String: (count: Int, users: Set<String>)]] = [:]
    for entry in entries
    where entry.app == app && days.contains(entry.day) && entry.event.kind == .event && entry.event.name == event {
      for property in entry.event.properties {
        let text = "\(property.value.text)"
        values[property.name, default: [:]][text, default: (0, [])].count += 1
        values[property.name, default: [:]][text, default: (0, [])].users.insert(entry.install)
      }
    }
    return values.map { name, values in
      PropertyTotals(
        property: name, count: values.values.reduce(0) { $0 + $1.count },
        values: values.map { KeyTotals(key: $0.key, count: $0.value.count, users: $0.value.users.count) }
          .sorted { ($1.count, $0.key) < ($0.count, $1.key) },
        isCapped: false)
    }.sorted { ($1.count, $0.property) < ($0.count, $1.property) }
  }
}

extension PropertyValue {
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date(let time): "\(time.millisecondsSince1970)"
    }
  }
}
