package import AppCatalog
import Foundation
import Logging
import TernBase
import TernEvents
import Threads
package import WarehouseSQLite
import WarehouseUpkeep

/// The checks of a running server: what is due is read, what is damaged is mended where it can be, and named otherwise.
package struct Scrub {
  /// Called after each part of a file, on a thread that may wait.
  typealias Pause = @Sendable (_ bytes: Int, _ time: Duration, _ shouldStop: () -> Bool) -> Void

  /// Files that are listed and checked independently of others.
  private struct Part {
    var name: String
    var kinds: Set<ScrubbedFile.Kind>
    /// The catalog's setting with the time up to which they were checked, in milliseconds since 1970.
    var setting: String
    var stored: Timestamp?
    var schedule: ScrubSchedule
    var list: @Sendable () throws -> [ScrubbedFile]
  }

  private let service: ScrubService
  private var parts: [Part] = []
  private var retries = ScrubRetries()
  /// The files that the next start checks first, as stored.
  private var stored: [String: String]

  init(_ service: ScrubService, now: Timestamp) throws {
    self.service = service
    stored = try Self.damagedPaths(service.catalog)
    let (warehouse, backups) = (service.warehouse, service.backups)
    try add("data", [.rows, .keys, .columns], ScrubService.positionSetting, now) { try warehouse.scrubbedFiles() }
    if let backups {
      try add("backups", [.backups], ScrubService.backupPositionSetting, now) { try backups.scrubbedFiles() }
    }
    service.warehouse.scrub.suspect(Array(stored.keys))
  }

  private mutating func add(
    _ name: String, _ kinds: Set<ScrubbedFile.Kind>, _ setting: String, _ now: Timestamp,
    _ list: @escaping @Sendable () throws -> [ScrubbedFile]
  ) throws {
    let position = try service.catalog.setting(setting).flatMap { Int64($0) }
      .map { Timestamp(millisecondsSince1970: $0) }
    let schedule = ScrubSchedule(period: service.period, position: position, now: now)
    parts.append(Part(name: name, kinds: kinds, setting: setting, stored: position, schedule: schedule, list: list))
  }

  /// Returns the paths of the files that the last checks found damaged, by identity.
  package static func damagedPaths(_ catalog: Catalog) throws -> [String: String] {
    let text = try catalog.setting(ScrubService.damagedSetting) ?? ""
    return (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
  }

  /// Asks the server of a data directory to check files soon, and to mend them.
  package static func request(_ files: [ScrubbedFile], _ catalog: Catalog) throws {
    let all = try requested(catalog).union(files.map(\.identity))
    try catalog.setSetting(
      ScrubService.requestSetting, to: String(decoding: try JSONEncoder().encode(all), as: UTF8.self))
  }

  private static func requested(_ catalog: Catalog) throws -> Set<String> {
    let text = try catalog.setting(ScrubService.requestSetting) ?? ""
    return (try? JSONDecoder().decode(Set<String>.self, from: Data(text.utf8))) ?? []
  }

  /// Checks what was found or suspected to be damaged, then what is due.
  ///
  /// - Parameter isOver: Ends it when true, after a file.
  /// - Returns: False if it has ended so.
  @discardableResult
  mutating func tick(
    now: Timestamp, isOver: () -> Bool = { false }, pause: @escaping Pause = { _, _, _ in }
  ) async throws -> Bool {
    let record = service.warehouse.scrub
    let requested = try Self.requested(service.catalog)
    let wanted = record.takeSuspects().union(requested).union(retries.due(now))
    var listed: [Int: [ScrubbedFile]] = [:]
    for (index, part) in parts.enumerated() { listed[index] = try await list(part) }
    let all = listed.values.flatMap { $0 }
    record.keep(all, of: listed.keys.reduce(into: []) { $0.formUnion(parts[$1].kinds) })
    if listed.count < parts.count {
      // They may be among the files that can't be listed now.
      record.suspect(Array(wanted.subtracting(all.map(\.identity))))
    } else {
      retries.keep(all)
    }
    for file in all where wanted.contains(file.identity) { try await check(file, now, pause) }
    if !requested.isEmpty, try Self.requested(service.catalog) == requested {
      try service.catalog.setSetting(ScrubService.requestSetting, to: "")
    }
    for index in parts.indices {
      guard let files = listed[index] else { continue }
      for due in parts[index].schedule.due(files, now: now) {
        try await check(due.file, now, pause)
        parts[index].schedule.didCheck(through: due.time)
        try store()
        if isOver() { return false }
      }
      parts[index].schedule.didCheck(through: now)
    }
    try store()
    return true
  }

  /// Returns the files of a part; `nil` if they can't be listed.
  private func list(_ part: Part) async throws -> [ScrubbedFile]? {
    let record = service.warehouse.scrub
    do {
      let files = try await onThread { _ in try part.list() }
      _ = record.didList(part.name, failure: nil)
      return files
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let message = "The files of \(part.name) are not checked for damage: \(error)"
      if record.didList(part.name, failure: message) { service.logger.error("\(message)") }
      return nil
    }
  }

  private mutating func check(_ file: ScrubbedFile, _ now: Timestamp, _ pause: @escaping Pause) async throws {
    retries.record(file, hasFailed: try await !check(file, pause), now: now)
  }

  /// Checks a file and mends it; returns false if that should be tried again soon.
  private func check(_ file: ScrubbedFile, _ pause: @escaping Pause) async throws -> Bool {
    try Task.checkCancellation()
    let (warehouse, logger) = (service.warehouse, service.logger)
    let damage: String?
    do {
      damage = try await onThread { shouldStop in
        let clock = ContinuousClock()
        var begin = clock.now
        return try warehouse.damage(of: file) { bytes in
          pause(bytes, begin.duration(to: clock.now), shouldStop)
          if shouldStop() { throw CancellationError() }
          begin = clock.now
        }
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // The others don't wait for it.
      logger.error("\(file.path) could not be checked for damage: \(error)")
      return false
    }
    let isNew = warehouse.scrub.didCheck(file, damage: damage)
    guard let damage else { return true }
    var isSettled = true
    do {
      if try await warehouse.mend(file) {
        warehouse.scrub.didMend(file)
        let source = file.kind == .rows ? "Its events were read from the cluster." : "It is made from the events again."
        logger.warning("\(file.path) was damaged. \(source)")
        return true
      }
      // The cluster may get the others of its events yet.
      isSettled = file.kind != .rows || service.copy == nil
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      isSettled = false
      logger.error("\(file.path) is damaged and can't be made again yet: \(error)")
    }
    // The warehouse reports rows.
    if isNew, file.kind != .rows { logger.error("\(damage)") }
    return isSettled
  }

  /// Runs `body` on a thread of its own, because it waits for the disk for a long time.
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (_ shouldStop: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    try await withCancellationFlag { flag in
      try await withCheckedThrowingContinuation { waiter in
        ThreadKind.scrub.start { waiter.resume(with: Result { try body { flag.isSet } }) }
      }
    }
  }

  /// Stores what the next start needs.
  private mutating func store() throws {
    let record = service.warehouse.scrub
    if let position = parts.map(\.schedule.position).min() { record.didReach(position) }
    let damaged = Dictionary(record.damages.map { ($0.file.identity, $0.file.path) }) { $1 }
      .merging(retries.paths) { $1 }
      // They can't be listed now.
      .merging(stored.filter { record.isSuspect($0.key) }) { known, _ in known }
    if damaged != stored {
      let text = String(decoding: try JSONEncoder().encode(damaged), as: UTF8.self)
      try service.catalog.setSetting(ScrubService.damagedSetting, to: text)
      stored = damaged
    }
    for index in parts.indices {
      let (part, position) = (parts[index], parts[index].schedule.position)
      // Not each time, because it takes a sync of the disk: after a crash, some files are checked again.
      if let last = part.stored, position.since(last) < service.period / 1_000 { continue }
      try service.catalog.setSetting(part.setting, to: "\(position.millisecondsSince1970)")
      parts[index].stored = position
    }
  }
}
