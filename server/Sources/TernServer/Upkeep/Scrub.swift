package import AppCatalog
import Foundation
import Logging
import Shipping
import TernBase
import TernEvents
import WarehouseSQLite

/// The checks of a running server: what is due is read, what is damaged is mended where it can be, and named otherwise.
package struct Scrub {
  /// Called after each part of a file, on a thread that may wait.
  typealias Pause = @Sendable (_ bytes: Int, _ time: Duration, _ shouldStop: () -> Bool) -> Void

  private let service: ScrubService
  private var schedule: ScrubSchedule
  private var stored: (position: Timestamp?, damaged: [String: String])

  init(_ service: ScrubService, now: Timestamp) throws {
    self.service = service
    let position = try service.catalog.setting(ScrubService.positionSetting).flatMap { Int64($0) }
      .map { Timestamp(millisecondsSince1970: $0) }
    schedule = ScrubSchedule(period: service.period, position: position, now: now)
    stored = (position, try Self.damagedPaths(service.catalog))
    service.warehouse.scrub.suspect(Array(stored.damaged.keys))
  }

  /// Returns the paths of the files that the last checks found damaged, by identity.
  package static func damagedPaths(_ catalog: Catalog) throws -> [String: String] {
    let text = try catalog.setting(ScrubService.damagedSetting) ?? ""
    return (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
  }

  /// Checks what is due.
  mutating func tick(now: Timestamp, pause: @escaping Pause = { _, _, _ in }) async throws {
    let (warehouse, backups) = (service.warehouse, service.backups)
    let files = try await onThread { _ in try warehouse.scrubbedFiles() + (backups?.scrubbedFiles() ?? []) }
    warehouse.scrub.keep(files)
    let suspects = warehouse.scrub.takeSuspects()
    for file in files where suspects.contains(file.identity) { try await check(file, pause) }
    for due in schedule.due(files, now: now) {
      try await check(due.file, pause)
      schedule.didCheck(through: due.time)
      try store()
    }
    schedule.didCheck(through: now)
    try store()
  }

  private func check(_ file: ScrubbedFile, _ pause: @escaping Pause) async throws {
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
      return logger.error("\(file.path) could not be checked for damage: \(error)")
    }
    let isNew = warehouse.scrub.didCheck(file, damage: damage)
    guard let damage else { return }
    do {
      if try await mend(file) {
        warehouse.scrub.didMend(file)
        let source = file.kind == .rows ? "Its events were read from the cluster." : "It is made from the events again."
        return logger.warning("\(file.path) was damaged. \(source)")
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      logger.error("\(file.path) is damaged and can't be made again yet: \(error)")
    }
    // The warehouse reports rows.
    if isNew, file.kind != .rows { logger.error("\(damage)") }
  }

  /// Makes a file again from others; returns false if there are none.
  private func mend(_ file: ScrubbedFile) async throws -> Bool {
    if try await service.warehouse.mend(file) { return true }
    guard file.kind == .rows, let manifest = service.copy?.shipping.manifest else { return false }
    return try await service.warehouse.restoreRows(of: file) { ids, segment in
      try manifest.settledUnits(in: ids, segment: segment).map { $0.unit.retired(from: manifest.home, shard: $0.shard) }
    }
  }

  /// Runs `body` on a thread of its own, because it waits for the disk for a long time.
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (_ shouldStop: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    try await withCancellationFlag { flag in
      try await withCheckedThrowingContinuation { waiter in
        let thread = Thread { waiter.resume(with: Result { try body { flag.isSet } }) }
        thread.name = "tern-scrub"
        thread.stackSize = 4 << 20
        thread.start()
      }
    }
  }

  /// Stores what the next start needs.
  private mutating func store() throws {
    let record = service.warehouse.scrub
    record.didReach(schedule.position)
    let damaged = Dictionary(record.damages.map { ($0.file.identity, $0.file.path) }) { $1 }
    if damaged != stored.damaged {
      let text = String(decoding: try JSONEncoder().encode(damaged), as: UTF8.self)
      try service.catalog.setSetting(ScrubService.damagedSetting, to: text)
      stored.damaged = damaged
    }
    // Not each time, because it takes a sync of the disk: after a crash, some files are checked again.
    if let last = stored.position, schedule.position.since(last) < service.period / 1_000 { return }
    try service.catalog.setSetting(ScrubService.positionSetting, to: "\(schedule.position.millisecondsSince1970)")
    stored.position = schedule.position
  }
}
