import Foundation
import RowFiles
import TernBase
import TernEvents
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A record on disk of the work in progress, so that the next start knows what a crashed process was doing.
///
/// Each piece of work has a small file in `work`, which is blank again once the work has ended. Files aren't synced: they need to
/// survive the process, not a power failure. Work found at a start was interrupted, and is held until it is examined; everything
/// else goes on. If it keeps ending the process without a row to blame, it is held for an hour.
package final class WorkJournal: Sendable {
  /// Work that was being done when a process ended.
  struct Interruption: Codable, Equatable {
    var work: DerivedWork
    /// The number of processes that ended while doing it, since it last ended well.
    var ends: Int
    /// The time of the start that found it last, in milliseconds since 1970.
    var found: Int64
    /// True once it is known whether a row is to blame.
    var isExamined = false
  }

  /// Work that has begun.
  package struct Mark: Sendable {
    fileprivate var key: String
    /// The file with its record; `nil` if it could not be written.
    fileprivate var record: WorkRecord?
  }

  private struct State {
    /// Blank files for the next work, since creating and deleting one for each request took a twelfth of a short request's time.
    var blank: [WorkRecord] = []
    var interruptions: [String: Interruption] = [:]
    var last: Int64 = 0
    /// True if the last record could not be written, as on a full disk.
    var isBlind = false
  }

  /// The number of ends after which a request is held. It isn't examined, and others may have run at the same time.
  static let requestEnds = 2
  /// The number of ends after which work is held that does not fail when it is tried on its own.
  static let innocentEnds = 4
  /// The time for which such work is held, in milliseconds.
  static let holdTime: Int64 = 3_600_000

  private let directory: String
  private let now: @Sendable () -> Timestamp
  private let state: Locked<State>
  private static let interruptedName = "interrupted.json"
  /// The most files that stay open for later work.
  private static let blankRecords = 16

  /// Opens the journal of a data directory and takes over what the previous process left. The caller must hold the lock of
  /// the directory.
  ///
  /// - Parameter examines: False if nothing will examine interrupted work.
  init(_ directory: String, examines: Bool, now: @escaping @Sendable () -> Timestamp) throws {
    self.directory = directory
    self.now = now
    try StoredFile.createDirectory(directory)
    var interruptions: [String: Interruption] = [:]
    let time = now().millisecondsSince1970
    for var interruption in Self.read([Interruption].self, "\(directory)/\(Self.interruptedName)") ?? [] {
      if interruption.isExamined, !Self.isRecent(interruption, at: time) { continue }
      interruption.isExamined = interruption.isExamined || !examines
      interruptions[interruption.work.key] = interruption
    }
    var last: Int64 = 0
    for name in try StoredFile.names(in: directory, endingWith: [".work"]) {
      // A file that can't be deleted must not be in the way.
      last = max(last, Int64(name.dropLast(".work".count)) ?? 0)
      let path = "\(directory)/\(name)"
      if let work = Self.read(DerivedWork.self, path) {
        var interruption = interruptions[work.key] ?? Interruption(work: work, ends: 0, found: time)
        (interruption.work, interruption.ends, interruption.found) = (work, interruption.ends.addingSaturated(1), time)
        interruption.isExamined = !examines || work.rows == nil
        interruptions[work.key] = interruption
      }
      unlink(path)
    }
    state = Locked(State(interruptions: interruptions, last: last))
    if !interruptions.isEmpty { store(interruptions) }
  }

  deinit {
    for record in state.withLock({ $0.blank }) { record.delete() }
  }

  /// The work to examine.
  package var unexamined: [DerivedWork] {
    state.withLock { $0.interruptions.values.filter { !$0.isExamined }.map(\.work) }.sorted { $0.key < $1.key }
  }

  /// The interrupted work that is held, and whether further interruptions would be noticed.
  var problems: [WarehouseProblem] {
    let time = now().millisecondsSince1970
    return state.withLock { state in
      let blindness = WarehouseProblem(
        summary: "After a crash, the server would not know what it was doing.",
        detail: "\(directory) can't be written, so after a crash the server would not know what it was doing.")
      return (state.isBlind ? [blindness] : [])
        + state.interruptions.values.sorted { $0.work.key < $1.work.key }.compactMap { interruption in
          Self.hold(interruption, at: time).map {
            WarehouseProblem(
              summary:
                "After a crash, some work on stored events is \(interruption.isExamined ? "held" : "being examined").",
              detail: $0.message)
          }
        }
    }
  }

  /// Records that an examination found no row to blame.
  package func markExamined(_ work: DerivedWork) { change { $0[work.key]?.isExamined = true } }

  /// Forgets interruptions that hold nothing any more. Questions name persons, so these must not stay on disk.
  package func forgetOld() {
    let time = now().millisecondsSince1970
    change { $0 = $0.filter { !$0.value.isExamined || Self.isRecent($0.value, at: time) } }
  }

  /// Records that the row to blame is gone.
  package func release(_ work: DerivedWork) { change { $0[work.key] = nil } }

  /// Records that work fails although no row is to blame, or too many are.
  package func hold(_ work: DerivedWork) {
    let time = now().millisecondsSince1970
    change { $0[work.key] = Interruption(work: work, ends: Self.innocentEnds, found: time, isExamined: true) }
  }

  /// Runs `body`, with a record of the work on disk until it returns.
  ///
  /// - Throws: ``WarehouseError`` with code `held` if the work is held; else what `body` throws.
  func perform<Value>(_ work: DerivedWork, _ body: () throws -> Value) throws -> Value {
    let mark = try begin(work)
    defer { end(mark) }
    return try body()
  }

  /// Begins some work.
  ///
  /// - Throws: ``WarehouseError`` with code `held` if the work is held.
  package func begin(_ work: DerivedWork) throws(WarehouseError) -> Mark {
    let (key, time) = (work.key, now().millisecondsSince1970)
    let (blank, number, hold) = state.withLock { state -> (WorkRecord?, Int64, WarehouseError?) in
      let hold = state.interruptions[key].flatMap { Self.hold($0, at: time) }
      if hold != nil { return (nil, 0, hold) }
      if let blank = state.blank.popLast() { return (blank, 0, nil) }
      state.last.addSaturated(1)
      return (nil, state.last, nil)
    }
    if let hold { throw hold }
    let record = (blank ?? WorkRecord(path: "\(directory)/\(number).work"))?.written(work)
    state.withLock { $0.isBlind = record == nil }
    return Mark(key: key, record: record)
  }

  /// Ends some work, whatever came of it.
  package func end(_ mark: Mark) {
    let blank = mark.record?.blank()
    let surplus = state.withLock { state -> WorkRecord? in
      guard let blank, state.blank.count < Self.blankRecords else { return blank }
      state.blank.append(blank)
      return nil
    }
    surplus?.delete()
    change { $0[mark.key] = nil }
  }

  private static func hold(_ interruption: Interruption, at time: Int64) -> WarehouseError? {
    guard interruption.isExamined else {
      return WarehouseError(
        .held, "The server ended while \(interruption.work). It is being examined; try again in a moment.")
    }
    let limit = interruption.work.rows == nil ? requestEnds : innocentEnds
    guard interruption.ends >= limit, isRecent(interruption, at: time) else { return nil }
    return WarehouseError(
      .held,
      """
      The server ended again and again while \(interruption.work), so it does not try that until an hour has passed. Please \
      report this with the server's log.
      """)
  }

  private static func isRecent(_ interruption: Interruption, at time: Int64) -> Bool {
    (0..<holdTime).contains(time.subtractingSaturated(interruption.found))
  }

  private func change(_ body: (inout [String: Interruption]) -> Void) {
    state.withLock { state in
      let before = state.interruptions
      body(&state.interruptions)
      // Within the lock, so that the latest state is the one on disk. Interrupted work is rare.
      if state.interruptions != before { store(state.interruptions) }
    }
  }

  private func store(_ interruptions: [String: Interruption]) {
    let sorted = interruptions.values.sorted { $0.work.key < $1.work.key }
    guard let bytes = try? JSONEncoder().encode(sorted) else { return }
    let path = "\(directory)/\(Self.interruptedName)"
    if Self.write(bytes, path + ".new") { rename(path + ".new", path) } else { unlink(path + ".new") }
  }

  private static func read<Value: Decodable>(_ type: Value.Type, _ path: String) -> Value? {
    FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(type, from: $0) }
  }

  /// Writes a file; returns false if that fails, as on a full disk.
  private static func write(_ bytes: Data, _ path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return bytes.withUnsafeBytes { (try? StoredFile.write($0, to: descriptor, at: 0, path)) != nil }
  }
}

extension Optional where Wrapped == WorkJournal {
  /// Runs `body`, with a record of the work on disk if there is a journal.
  func perform<Value>(_ work: @autoclosure () -> DerivedWork, _ body: () throws -> Value) throws -> Value {
    guard let journal = self else { return try body() }
    return try journal.perform(work(), body)
  }

  /// Runs `body`, with records of several pieces of work: if it ends the process, each is examined alone.
  func perform<Value>(all work: ArraySlice<DerivedWork>, _ body: () throws -> Value) throws -> Value {
    guard let first = work.first else { return try body() }
    return try perform(first) { try perform(all: work.dropFirst(), body) }
  }
}
