import Dispatch
import Foundation
import RowFiles
import ServerBase
import TernBase
package import Warehouse

/// The rows of a data directory that are on the cluster only: fetches them when they are read, and keeps some of them in
/// files.
///
/// There is one object for each directory, because whatever reads rows comes here: ``EventScan`` asks it for a segment whose
/// file is gone.
package final class RetiredRowCache: Sendable {
  /// The bytes of fetched rows that are kept.
  static let standardBytes = 1 << 30
  /// The units that are kept open.
  private static let maximumOpen = 64

  /// False for work that must not wait for the cluster: rows that aren't here then count as away.
  @TaskLocal static var mayFetch = true

  private static let all = Locked<[String: RetiredRowCache]>([:])

  private struct Entry {
    var bytes: Int
    var unit: FetchedUnit?
    /// The number of the last use.
    var used: Int
  }

  private struct State {
    var source: (any RetiredRowSource)?
    var maximumBytes = RetiredRowCache.standardBytes
    var isLoaded = false
    var entries: [String: Entry] = [:]
    var uses = 0
    /// Units that are needed soon, and the number of tasks that need each.
    var pinned: [String: (unit: FetchedUnit, count: Int)] = [:]
    var fetches: [String: Fetch] = [:]
  }

  /// A unit that is being fetched, for others that want it meanwhile.
  private final class Fetch: Sendable {
    private let result = Locked<Result<FetchedUnit, any Error>>(.failure(CancellationError()))
    private let done = DispatchGroup()

    init() { done.enter() }

    func end(_ result: Result<FetchedUnit, any Error>) {
      self.result.withLock { $0 = result }
      done.leave()
    }

    func wait() throws -> FetchedUnit {
      done.wait()
      return try result.withLock { $0 }.get()
    }
  }

  private let directory: String
  private let state = Locked(State())

  init(_ directory: String) { self.directory = directory }

  /// Returns the object of a directory of rows.
  package static func of(_ directory: String) -> RetiredRowCache {
    let path = URL(filePath: directory).resolvingSymlinksInPath().path
    return all.withLock { all in
      if let known = all[path] { return known }
      let new = RetiredRowCache(path)
      all[path] = new
      return new
    }
  }

  /// Has rows of a data directory fetched from a source; `nil` if there is none any more.
  package static func connect(_ directory: String, to source: (any RetiredRowSource)?) {
    of(DataDirectory(path: directory).rowsPath).connect(source)
  }

  func connect(_ source: (any RetiredRowSource)?) { state.withLock { $0.source = source } }

  /// Throws if rows have left and can't be fetched now.
  package func checkSource(_ connection: SQLConnection) throws {
    guard let unit = try RetiredTable.units(connection).first else { return }
    _ = try connectedSource().forEachRow(of: unit) { _ in }
  }

  private func connectedSource() throws -> any RetiredRowSource {
    if let source = state.withLock({ $0.source }) { return source }
    throw WarehouseError(
      .rowsAway,
      """
      These rows are only on the ClickHouse cluster. Name it with TERN_CLICKHOUSE, in the file of settings, or where there is \
      such an option with --clickhouse.
      """)
  }

  /// Returns what the cluster may have of rows in a segment at home. Reads a file or two, but doesn't wait for the cluster.
  package func copies(of ids: ClosedRange<Int64>, segment: Int64) throws -> RowCopies {
    if let source = state.withLock({ $0.source }) { return try source.copies(of: ids, segment: segment) }
    guard StoredFile.exists(String(directory.dropLast("/rows".count)) + "/shipping.sqlite") else { return .none }
    throw WarehouseError(
      .rowsAway,
      """
      Events \(ids.lowerBound) to \(ids.upperBound) can't be read here, but the ClickHouse cluster may have them. Name it with \
      TERN_CLICKHOUSE or in the file of settings. If it was given up, move shipping.sqlite away.
      """)
  }

  /// Sets the bytes of fetched rows that are kept.
  func keep(atMost bytes: Int) {
    let old = state.withLock { state in
      state.maximumBytes = bytes
      return Self.evicted(&state)
    }
    for name in old { try? StoredFile.delete(path(name)) }
  }

  /// Returns the units of a segment that has left; none if it hasn't.
  func units(of segment: Int64) throws -> [RetiredUnit] {
    guard StoredFile.exists(databasePath) else { return [] }
    let database = try SQLDatabase(databasePath)
    return try withExtendedLifetime(database) { try RetiredTable.units(of: segment, database.connection) }
  }

  private var databasePath: String {
    DataDirectory(path: String(directory.dropLast("/rows".count))).warehousePath
  }

  // MARK: Fetching

  /// Returns the rows of a unit. If they aren't here, waits for the cluster, or throws if ``mayFetch`` is false.
  func fetched(_ unit: RetiredUnit) throws -> FetchedUnit {
    let name = Self.name(unit)
    if let open = try state.withLock({ try opened(name, &$0) }) { return open }
    // A file that was closed, or that an earlier process left.
    if let kept = try FetchedUnit(unit, path: path(name)) {
      keep(kept, name)
      return kept
    }
    guard Self.mayFetch else {
      throw WarehouseError(.rowsAway, "Events \(unit.ids.lowerBound) to \(unit.ids.upperBound) must be fetched first.")
    }
    let fetch = Fetch()
    let (open, other): (FetchedUnit?, Fetch?) = try state.withLock { state in
      if let open = try opened(name, &state) { return (open, nil) }
      if let other = state.fetches[name] { return (nil, other) }
      state.fetches[name] = fetch
      return (nil, nil)
    }
    if let open { return open }
    if let other { return try other.wait() }
    let result = Result { try self.fetch(unit, name) }
    state.withLock { $0.fetches[name] = nil }
    fetch.end(result)
    return try result.get()
  }

  /// Returns a unit that is open, and counts its use.
  private func opened(_ name: String, _ state: inout State) throws -> FetchedUnit? {
    if !state.isLoaded { try load(&state) }
    if let pinned = state.pinned[name] { return pinned.unit }
    state.uses += 1
    state.entries[name]?.used = state.uses
    return state.entries[name]?.unit
  }

  private func fetch(_ unit: RetiredUnit, _ name: String) throws -> FetchedUnit {
    let source = try connectedSource()
    let database = try SQLDatabase(databasePath)
    let starts = try withExtendedLifetime(database) {
      try database.connection.prepare("SELECT first_id FROM span WHERE first_id BETWEEN ? AND ? ORDER BY first_id")
        .bind(unit.ids.lowerBound, unit.ids.upperBound).all { $0.integer(0) }
    }
    try StoredFile.createDirectory(folder)
    var there = unit
    do {
      try FetchedUnit.write(unit, to: path(name), spans: starts) { there = try source.forEachRow(of: unit, $0) }
    } catch let error as WarehouseError where error.code == .damaged {
      // Nothing at home is damaged: such rows must not be left out.
      throw WarehouseError(.rowsAway, error.message)
    }
    guard there.ids == unit.ids, let fetched = try FetchedUnit(there, path: path(name)) else {
      throw WarehouseError(.rowsAway, "The rows of unit \(unit.number) that the cluster sent are not those that left.")
    }
    keep(fetched, name)
    return fetched
  }

  // MARK: Files

  private var folder: String { directory + "/fetched" }
  private static let suffix = ".unit"

  /// A name that other content never has.
  private static func name(_ unit: RetiredUnit) -> String {
    let numbers = [unit.epoch, UInt64(unit.number), UInt64(unit.generation), unit.checksum]
    return numbers.map { String($0, radix: 16) }.joined(separator: "-") + suffix
  }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func keep(_ unit: FetchedUnit, _ name: String) {
    let old = state.withLock { state in
      state.uses += 1
      state.entries[name] = Entry(bytes: unit.byteCount, unit: unit, used: state.uses)
      return Self.evicted(&state, sparing: name)
    }
    for name in old { try? StoredFile.delete(path(name)) }
  }

  /// Removes the entries that were used least recently, and returns the names of their files.
  private static func evicted(_ state: inout State, sparing newest: String? = nil) -> [String] {
    var bytes = state.entries.values.reduce(0) { $0 + $1.bytes }
    var names: [String] = []
    var open = state.entries.values.reduce(0) { $0 + ($1.unit == nil ? 0 : 1) }
    for (name, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
      if bytes > state.maximumBytes, name != newest {
        state.entries[name] = nil
        bytes -= entry.bytes
        open -= entry.unit == nil ? 0 : 1
        names.append(name)
      } else if open > maximumOpen, entry.unit != nil {
        state.entries[name]?.unit = nil
        open -= 1
      }
    }
    return names
  }

  /// Finds the files of earlier processes. They are checked when they are opened.
  private func load(_ state: inout State) throws {
    state.isLoaded = true
    guard StoredFile.exists(folder) else { return }
    for name in try StoredFile.names(in: folder, endingWith: [Self.suffix]) {
      state.entries[name] = Entry(bytes: (try? CopiedFile.size(path(name))) ?? 0, unit: nil, used: 0)
    }
  }

  // MARK: Work that must not wait

  /// Fetches the rows of a segment, and keeps them at hand until ``unpin(_:)``; does nothing if they haven't left.
  package func pin(_ segment: Int64) throws -> [RetiredUnit] {
    guard !StoredFile.exists(RowSegment.path(segment, in: directory)) else { return [] }
    return try pin(try units(of: segment))
  }

  /// Fetches the rows of units, and keeps them at hand until ``unpin(_:)``.
  package func pin(_ units: [RetiredUnit]) throws -> [RetiredUnit] {
    var pinned: [RetiredUnit] = []
    do {
      for unit in units {
        let fetched = try fetched(unit)
        state.withLock { state in
          let count = state.pinned[Self.name(unit)]?.count ?? 0
          state.pinned[Self.name(unit)] = (fetched, count + 1)
        }
        pinned.append(unit)
      }
    } catch {
      unpin(pinned)
      throw error
    }
    return pinned
  }

  /// Deletes the files of units whose rows are at home.
  package func discard(_ units: [RetiredUnit]) {
    let names = units.map(Self.name)
    state.withLock { state in for name in names { state.entries[name] = nil } }
    for name in names { try? StoredFile.delete(path(name)) }
  }

  package func unpin(_ units: [RetiredUnit]) {
    state.withLock { state in
      for name in units.map(Self.name) {
        guard let pinned = state.pinned[name] else { continue }
        state.pinned[name] = pinned.count > 1 ? (pinned.unit, pinned.count - 1) : nil
      }
    }
  }
}
