import AppCatalog
import Foundation
import Ingest
import Reports
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import TernServer
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Groups of errors, before and after symbols.
@Suite struct RegroupingTests {
  /// Symbols by build and position. A build without any can't be read.
  private final class Symbols: StackSymbolicator {
    let functions = Locked<[String: [UInt64: [String]]]>([:])

    func symbolicated(_ stack: ErrorStack, app: AppID) async -> (stack: ErrorStack, problem: String?) {
      let known = functions.withLock { $0 }
      var (stack, problem): (ErrorStack, String?) = (stack, nil)
      for thread in stack.threads.indices {
        stack.threads[thread].frames = stack.threads[thread].frames.flatMap { frame -> [ErrorStack.Frame] in
          guard let build = known[frame.buildID] else { return [frame] }
          if build.isEmpty { problem = "There was no time." }
          guard let offset = frame.offset, let names = build[offset - (frame.isReturnAddress ? 1 : 0)] else {
            return [frame]
          }
          return names.map { name in
            var frame = frame
            (frame.function, frame.hasSymbols) = (name, true)
            return frame
          }
        }
      }
      return (stack, problem)
    }
  }

  /// A server's warehouse.
  private final class Server {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-groups-\(UUID().uuidString)").path
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: AppID
    let symbols = Symbols()
    var regrouping: Regrouping
    let days = Day(number: 20_000)...Day(number: 20_003)
    private var count = 0

    init() throws {
      catalog = try Catalog(directory: directory)
      app = try catalog.createApp(name: "Radio").id
      warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
      regrouping = Regrouping(warehouse: warehouse, symbolicator: symbols)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Stores a crash of a build at some positions of the app.
    func crash(_ build: String, _ offsets: UInt64..., install: String = "a", message: String = "trap") async throws {
      count += 1
      let time = Timestamp(millisecondsSince1970: 20_000 * 86_400_000 + Int64(count) * 1_000)
      let stack = offsets.map { "  0x7f00 /opt/app/Radio(+0x\(String($0, radix: 16))) [\(build)]\n" }.joined()
      var error = IncomingError(
        event: 0, id: "\(count)", type: "SIGILL", message: message, place: "Radio + 0x\(offsets[0])", stack: stack,
        fingerprint: 0)
      error.sign(kind: .crash)
      var batch = IncomingBatch(
        source: .native, received: time, installs: [install],
        devices: [IncomingDevice(appVersion: "1.\(build.prefix(1))")],
        events: [IncomingEvent(index: 0, kind: .crash, duplicateKey: nil, time: time, name: "SIGILL")])
      batch.errors = [error]
      _ = try await warehouse.commit(batch, app: app)
    }

    /// Looks until nothing is left to do, in a state of the symbols, and of the decisions of people.
    func look(_ symbols: String = "", at uptime: Duration = .zero) async throws {
      let version = GroupingVersion(
        symbols: symbols, decisions: "\(try catalog.errorDecisionVersions()[app] ?? 0)")
      let decisions = try catalog.errorDecisions(app: app)
      while try await regrouping.run(app: app, version: version, uptime: uptime, decisions: { decisions }) {}
    }

    func groups() async throws -> [ErrorGroup] {
      try await warehouse.reader.errorGroups(app: app, group: nil, days: days, limit: 100).sorted { $0.id < $1.id }
    }

    /// The counts by group, with the first frame of the app.
    func counts() async throws -> [String] {
      try await groups().map { "\($0.id) \($0.place): \($0.count) of \($0.users)" }
    }
  }

  private let one = "aaaaaaaa"
  private let two = "bbbbbbbb"

  @Test func `two builds of a crash are one group once there are symbols, with state, links and counts`() async throws {
    let server = try Server()
    let (warehouse, app) = (server.warehouse, server.app)
    try await server.crash(one, 0x10, 0x20)
    try await server.crash(two, 0x14, 0x28, install: "b")
    try await server.crash(two, 0x14, 0x28, install: "b")
    try await server.crash(two, 0x99, 0x28, install: "c")
    try await server.look()
    let before = try await server.groups()
    #expect(before.map(\.count) == [1, 2, 1])
    // The status of the later one, which is not the one whose number stays.
    _ = try server.catalog.setErrorState(app: app, group: before[1].id, status: .ignored, note: "known", version: "")
    let counted = try await warehouse.reader.errors(app: app, group: before[1].id, days: server.days, limit: 9)
    #expect(counted.count == 2)

    server.symbols.functions.withLock {
      $0 = [one: [0x10: ["play"], 0x1f: ["main"]], two: [0x14: ["play"], 0x27: ["main"], 0x99: ["stop"]]]
    }
    try await server.look()
    #expect(try await server.groups().count == 3, "the symbols are the same as before")
    try await server.look("1 file")
    #expect(try await server.counts() == ["\(before[0].id) play: 3 of 2", "\(before[2].id) stop: 1 of 1"])

    for old in before[...1].map(\.id) {
      #expect(try await warehouse.reader.errorGroupNumbers(app: app, [old]) == [old: before[0].id])
      let group = try await warehouse.reader.errorGroups(app: app, group: old, days: server.days, limit: 1).first
      #expect(group?.count == 3 && group?.versions.count == 2)
      let errors = try await warehouse.reader.errors(app: app, group: old, days: server.days, limit: 9)
      #expect(errors.count == 3 && errors == errors.sorted { $1.time < $0.time })
    }
    let detail = try await warehouse.reader.error(app: app, id: try #require(counted.first).id)
    #expect(detail?.occurrence.group == before[0].id)
    let states = try await server.catalog.errorStates(app: app).current(app: app, in: warehouse.reader)
    #expect(states.mapValues(\.note) == [before[0].id: "known"])
    #expect(try await warehouse.reader.verify().isClean)

    // Later crashes of either build belong to it at once, without another look.
    try await server.crash(two, 0x14, 0x28)
    #expect(try await server.groups().map(\.count) == [4, 1])
    // Symbols that had to make room for later ones take nothing apart.
    server.symbols.functions.withLock { $0 = [:] }
    try await server.look("none")
    #expect(try await server.counts() == ["\(before[0].id) play: 4 of 2", "\(before[2].id) stop: 1 of 1"])
    try await warehouse.close()
  }

  @Test func `an error of a new build is new only if no group has it`() async throws {
    let server = try Server()
    let reader = server.warehouse.reader
    server.symbols.functions.withLock { $0 = [one: [0x10: ["play"]], two: [0x14: ["play"], 0x99: ["stop"]]] }
    func new(after known: Int64) async throws -> (groups: [ErrorGroupName], highest: Int64) {
      try await reader.errorGroups(app: server.app, after: known, limit: 100)
    }
    try await server.crash(one, 0x10)
    #expect(try await new(after: 0) == ([], 0), "it waits for its symbols")
    try await server.look()
    let first = try await new(after: 0)
    #expect(first.groups.map(\.place) == ["play"])

    try await server.crash(two, 0x14)
    try await server.crash(two, 0x99)
    #expect(try await new(after: first.highest) == ([], first.highest))
    try await server.look()
    let second = try await new(after: first.highest)
    #expect(second.groups.map(\.place) == ["stop"] && second.highest > first.highest)
    try await server.warehouse.close()
  }

  @Test func `symbols that can't be read are tried again after ten minutes`() async throws {
    let server = try Server()
    try await server.crash(one, 0x10)
    server.symbols.functions.withLock { $0 = [one: [:]] }
    try await server.look()
    // It has a group meanwhile, and alerts don't wait.
    #expect(try await server.warehouse.reader.errorGroups(app: server.app, after: 0, limit: 9).groups.count == 1)
    server.symbols.functions.withLock { $0 = [one: [0x10: ["play"]]] }
    try await server.look(at: .seconds(599))
    #expect(try await server.groups().map(\.place) != ["play"])
    try await server.look(at: .seconds(601))
    #expect(try await server.groups().map(\.place) == ["play"])
    try await server.warehouse.close()
  }

  @Test func `a group keeps its number when the person of its first error is deleted`() async throws {
    let server = try Server()
    let (warehouse, app) = (server.warehouse, server.app)
    server.symbols.functions.withLock { $0 = [one: [0x10: ["play"]], two: [0x14: ["play"]]] }
    try await server.crash(one, 0x10, install: "first", message: "of the first")
    try await server.crash(two, 0x14, install: "second", message: "of the second")
    try await server.look()
    let number = try #require(try await server.groups().first).id
    try await warehouse.delete(
      PersonDeletionRequest(person: .install("first"), refusesLater: false), app: app, views: [])
    let groups = try await server.groups()
    #expect(groups.map(\.id) == [number] && groups.map(\.count) == [1] && groups.map(\.place) == ["play"])
    #expect(groups.first?.message == "of the second")
    try await server.look("another state")
    #expect(try await server.counts() == ["\(number) play: 1 of 1"])
    // Its number leads to the group also when the other signature gets another key.
    server.symbols.functions.withLock { $0 = [two: [0x14: ["renamed"]]] }
    try await server.look("later symbols")
    #expect(try await server.counts() == ["\(number) renamed: 1 of 1"])
    try await warehouse.close()
  }

  @Test func `people merge groups and take stacks out, and undo both`() async throws {
    let server = try Server()
    let (catalog, warehouse, app) = (server.catalog, server.warehouse, server.app)
    for offset: UInt64 in [0x10, 0x20, 0x20, 0x30] { try await server.crash(one, offset) }
    try await server.look()
    let ids = try await server.groups().map(\.id)
    #expect(try await server.groups().map(\.count) == [1, 2, 1])

    try catalog.mergeErrors(ErrorDecisions.Merge(group: ids[1], into: ids[0]), app: app)
    try await server.look()
    #expect(try await server.groups().map(\.id) == [ids[0], ids[2]])
    #expect(try await server.groups().map(\.count) == [3, 1])
    // A chain, and a circle.
    try catalog.mergeErrors(ErrorDecisions.Merge(group: ids[0], into: ids[2]), app: app)
    try catalog.mergeErrors(ErrorDecisions.Merge(group: ids[2], into: ids[1]), app: app)
    try await server.look()
    #expect(try await server.groups().map(\.count) == [4])
    for id in ids { #expect(try catalog.separateErrors(id, app: app)) }
    #expect(try catalog.separateErrors(ids[0], app: app) == false)
    try await server.look()
    #expect(try await server.groups().map(\.count) == [1, 2, 1])

    // A merge holds for crashes of other builds that symbols put into the same group.
    server.symbols.functions.withLock { $0 = [one: [0x10: ["play"], 0x20: ["stop"]], two: [0x24: ["stop"]]] }
    try catalog.mergeErrors(ErrorDecisions.Merge(group: ids[1], into: ids[0]), app: app)
    try await server.crash(two, 0x24)
    try await server.look("files")
    #expect(try await server.groups().map(\.count) == [4, 1])
    #expect(try catalog.separateErrors(ids[1], app: app))
    try await server.look("files")
    #expect(try await server.groups().map(\.count) == [1, 3, 1])

    // Of one group, the stack of a build is taken out, with what comes later.
    let later = try #require(
      try await warehouse.reader.errors(app: app, group: ids[1], days: server.days, limit: 1).first)
    let signature = try #require(try await warehouse.reader.errorSignature(app: app, error: later.id))
    try catalog.splitErrors(signature, app: app)
    try await server.crash(two, 0x24)
    try await server.look("files")
    #expect(try await server.groups().map(\.count) == [1, 2, 1, 2])
    // The others of its group stay merged.
    try catalog.mergeErrors(ErrorDecisions.Merge(group: ids[1], into: ids[0]), app: app)
    try await server.look("files")
    #expect(try await server.groups().map(\.count) == [3, 1, 2])
    #expect(try catalog.separateErrors(ids[1], app: app))
    #expect(try catalog.rejoinErrors(signature, app: app))
    try await server.look("files")
    #expect(try await server.groups().map(\.count) == [1, 4, 1])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `five places that report through one helper are five groups with a rule`() async throws {
    let server = try Server()
    server.symbols.functions.withLock {
      let places = (1...5).map { (UInt64($0 * 16), ["Log.report(_:)", "Log.forward(_:)", "place\($0)"]) }
      $0 = [one: Dictionary(uniqueKeysWithValues: places)]
    }
    for place: UInt64 in 1...5 { try await server.crash(one, place * 16) }
    try await server.look()
    #expect(try await server.groups().map(\.count) == [5])
    var rules = ErrorRules()
    rules.skippedFunctions = ["Log.for*", "report(_:)"]
    try server.catalog.setErrorRules(rules, app: server.app)
    #expect(try server.catalog.errorDecisions(app: server.app).rules == rules)
    try await server.look()
    #expect(try await server.groups().map(\.place) == (1...5).map { "place\($0)" })
    rules.skippedFunctions = Array(repeating: "a", count: 101)
    #expect(throws: WarehouseError.self) { try server.catalog.setErrorRules(rules, app: server.app) }
    try server.catalog.setErrorRules(ErrorRules(), app: server.app)
    try await server.look()
    #expect(try await server.groups().map(\.count) == [5])
    try await server.warehouse.close()
  }

  @Test func `a stack beyond the day's allowance counts in the group that it belongs to`() async throws {
    let server = try Server()
    server.symbols.functions.withLock { $0 = [:] }
    let deep: [UInt64] = [0x10, 0x20]
    try await server.crash(one, deep[0], deep[1], 0)
    for number in 1...UInt64(ErrorGroups.dailyAllowance + 5) {
      try await server.crash(one, deep[0], deep[1], number * 16)
    }
    let groups = try await server.groups()
    #expect(groups.map(\.type) == ["SIGILL"] && groups.map(\.count) == [ErrorGroups.dailyAllowance + 6])
    try await server.warehouse.close()
  }

  @Test func `an error that is imported without its texts gets its signature from a later one`() async throws {
    let server = try Server()
    let (warehouse, app) = (server.warehouse, server.app)
    var error = IncomingError(
      event: 0, id: "bare", type: "SIGILL", place: "Radio + 0x10", stack: "  0x7f00 /opt/app/Radio(+0x10) [\(one)]\n",
      fingerprint: 0)
    error.sign(kind: .crash)
    let signed = error
    error.signature = nil
    for (number, error) in [error, signed].enumerated() {
      let time = Timestamp(millisecondsSince1970: 20_000 * 86_400_000 + Int64(number))
      var batch = IncomingBatch(
        source: .native, received: time, installs: ["a"], devices: [IncomingDevice()],
        events: [IncomingEvent(index: 0, kind: .crash, duplicateKey: nil, time: time, name: "SIGILL")])
      batch.errors = [error]
      _ = try await warehouse.commit(batch, app: app)
    }
    server.symbols.functions.withLock { $0 = [one: [0x10: ["play"]]] }
    try await server.look()
    #expect(try await server.groups().map(\.place) == ["play"])
    #expect(try await server.groups().map(\.count) == [2])
    try await warehouse.close()
  }
}
