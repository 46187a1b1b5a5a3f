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

    func look(_ version: String = "", at uptime: Duration = .zero) async throws {
      try await regrouping.run(app: app, symbolsVersion: version, uptime: uptime)
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
    // Without symbols, everything is as it was.
    server.symbols.functions.withLock { $0 = [:] }
    try await server.look("none")
    #expect(try await server.groups().map(\.count) == [1, 3, 1])
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
    try await warehouse.close()
  }
}
