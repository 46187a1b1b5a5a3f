import Foundation
import Ingest
import ServerBase
import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Tests exports and their import.
@Suite struct ExportTests {
  /// A server with an app.
  private final class Server {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: App

    init(apps: Int = 1, timeZone: String = "Europe/Berlin") throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path)
      for number in 1..<apps { _ = try catalog.createApp(name: "Other \(number)", timeZone: timeZone) }
      app = try catalog.createApp(name: "Player", timeZone: timeZone)
      warehouse = try SQLiteWarehouse(
        directory: directory.path, catalog: catalog,
        configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 20_000))
    }

    var name: String {
      get throws {
        let secret = try catalog.duplicateSecret()
        return DuplicateHashKey(secret.0, secret.1).fingerprint
      }
    }

    /// Fills the server with random traffic of all apps, in the order of its receipt.
    func fill(seed: UInt64, batches: Int = 60) async throws {
      let apps = try catalog.apps().map(\.id)
      var traffic = RandomTraffic(
        seed: seed, apps: apps, center: timestamp("2026-05-04T12:00:00Z"), days: 10, isOrdered: true)
      for _ in 0..<batches {
        let (batch, app) = traffic.next()
        _ = try await warehouse.commit(batch, app: app)
      }
      try await warehouse.flush()
    }

    func export(
      _ format: ExportRequest.Format = .ndjson, _ change: (inout ExportRequest) -> Void = { _ in }
    ) async throws -> [String] {
      var request = ExportRequest(app: app, format: format, server: try name)
      change(&request)
      var bytes: [UInt8] = []
      var cursor: ExportCursor? = .start
      while let place = cursor {
        let page = try await warehouse.reader.exportPage(request, at: place)
        bytes += page.bytes
        cursor = page.next
      }
      return ExportTests.lines(bytes)
    }

    func add(_ lines: [String], rest: String = "") async throws -> ImportSummary {
      let bytes = [UInt8](lines.map { $0 + "\n" }.joined().utf8) + Array(rest.utf8)
      var position = 0
      // In pieces that don't end with lines.
      return try await warehouse.importRows(to: app, server: try name) {
        defer { position = min(position + 777, bytes.count) }
        return Array(bytes[position..<min(position + 777, bytes.count)])
      }
    }

    func isClean() async throws -> Bool { try await warehouse.reader.verify().isClean }
  }

  /// Splits by bytes: CR LF is a single character.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The lines without what differs between servers: the header, and the numbers of rows and keys.
  private func comparable(_ lines: [String]) -> [String] {
    lines.dropFirst().map {
      $0.replacing(/^\{"row":\d+,/, with: "{").replacing(/,"key":\{[^}]*\}/, with: "")
        .replacing(/^\{"attachment":\{"number":\d+,/, with: "{\"attachment\":{")
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `an imported export is exported again as the same lines, and its counts are those of the original`(
    seed: UInt64
  ) async throws {
    let (first, second) = (try Server(apps: 2), try Server())
    try await first.fill(seed: seed)
    let lines = try await first.export()
    #expect(lines.last == #"{"end":true}"#)
    let rows = lines.count { $0.hasPrefix("{\"row\"") }
    for part in ["\"error\":{", "\"attachment\":{", "\"parameters\":", "\"rejected\":{", "\"ledger\":{"] {
      #expect(lines.contains { $0.contains(part) }, "\(part)")
    }
    let summary = try await second.add(lines)
    #expect(summary.rows == rows && summary.duplicates == 0)
    let (copy, original) = (comparable(try await second.export()), comparable(lines))
    #expect(copy.count == original.count)
    for (copied, line) in zip(copy, original) where copied != line {
      Issue.record("expected \(line), found \(copied)")
      break
    }
    #expect(try await second.isClean())

    let days = day("2026-04-01")...day("2026-06-30")
    let (old, new) = (first.warehouse.reader, second.warehouse.reader)
    for dimension in Warehouse::Dimension.allCases {
      let expected = try await old.totals(app: first.app.id, dimension: dimension, days: days, limit: nil)
      #expect(try await new.totals(app: second.app.id, dimension: dimension, days: days, limit: nil) == expected)
    }
    let activity = try await old.activity(app: first.app.id, days: days)
    #expect(try await new.activity(app: second.app.id, days: days) == activity)
    let durations = try await old.sessionDurations(app: first.app.id, days: days)
    #expect(try await new.sessionDurations(app: second.app.id, days: days) == durations)
    let groups = try await old.errorGroups(app: first.app.id, group: nil, days: days, limit: 100)
    let imported = try await new.errorGroups(app: second.app.id, group: nil, days: days, limit: 100)
    #expect(imported.map(\.count) == groups.map(\.count))
  }

  @Test func `importing twice changes nothing, into the same server or another one`() async throws {
    let (first, second) = (try Server(), try Server(apps: 3))
    try await first.fill(seed: 4)
    let lines = try await first.export()
    let rows = lines.count { $0.hasPrefix("{\"row\"") }
    _ = try await second.add(lines)
    let imported = try await second.export()
    let again = try await second.add(lines)
    #expect(again.rows == 0 && again.duplicates == rows)
    #expect(try await second.export() == imported)
    // Rows without keys can't be recognized in the app that they come from.
    let keyed = lines.count { $0.hasPrefix("{\"row\"") && $0.contains("\"key\":{") }
    let returned = try await first.add(lines.filter { !$0.hasPrefix("{\"row\"") || $0.contains("\"key\":{") })
    #expect(returned.rows == 0 && returned.duplicates == keyed)
    #expect(try await second.isClean())
  }

  @Test func `an export in parts of few rows is the same, and rows that arrive meanwhile are left out`() async throws {
    let server = try Server()
    try await server.fill(seed: 5)
    let lines = try await server.export()
    let request = ExportRequest(app: server.app, format: .ndjson, server: try server.name)
    let start = try await server.warehouse.reader.exportPage(request, at: .start)
    try await server.fill(seed: 6, batches: 5)
    let rest = try await server.warehouse.reader.exportPage(request, at: try #require(start.next))
    let text = Self.lines(start.bytes + rest.bytes)
    #expect(text == lines.filter { $0.hasPrefix("{\"row\"") || $0.hasPrefix("{\"tern\"") })
    let rows = lines.filter { $0.hasPrefix("{\"row\"") }
    let middle = try #require(rows[rows.count / 2].firstMatch(of: /"row":(\d+)/).flatMap { Int64($0.1) })
    let after = try await server.export { $0.after = middle }.filter { $0.hasPrefix("{\"row\"") }
    #expect(after.starts(with: rows[(rows.count / 2 + 1)...]))
  }

  @Test(arguments: [11, 12] as [UInt64])
  func `what is continued after the last complete line has all that follows it`(seed: UInt64) async throws {
    let server = try Server(apps: 2)
    try await server.fill(seed: seed)
    let lines = try await server.export().filter { $0.hasPrefix("{\"row\"") || $0.hasPrefix("{\"attachment\"") }
    #expect(lines.last?.hasPrefix("{\"attachment\"") == true)
    func number(_ line: String, _ pattern: Regex<(Substring, Substring)>) -> Int64? {
      line.firstMatch(of: pattern).flatMap { Int64($0.1) }
    }
    var (row, attachment) = (Int64(0), Int64(0))
    for (index, line) in lines.enumerated() {
      row = number(line, /^\{"row":(\d+),/) ?? row
      attachment = number(line, /^\{"attachment":\{"number":(\d+),/) ?? attachment
      // A piece of an attachment that lacks some is sent again with all of its pieces.
      let isPiece = number(line, /"part":(\d+)/).flatMap { part in number(line, /"parts":(\d+)/).map { part + 1 < $0 } }
      guard index % 7 == 0 || attachment > 0, isPiece != true else { continue }
      let rest = try await server.export { ($0.after, $0.afterAttachment) = (row, attachment) }
      #expect(rest.first?.hasPrefix("{\"tern\"") == true && rest.last == #"{"end":true}"#)
      #expect(Array(rest.dropFirst().dropLast()) == Array(lines[(index + 1)...]), "after line \(index)")
    }
  }

  @Test func `a row has these bytes`() async throws {
    let server = try Server()
    let properties: [Properties.Element] = [
      .init(name: "plain", value: .string("a b")), .init(name: "quote\"", value: .string("\\\n\u{7F}\u{E9}")),
      .init(name: "whole", value: .double(3)), .init(name: "flag", value: .boolean(false)),
      .init(name: "day", value: .date(Timestamp(millisecondsSince1970: -5))),
      .init(name: "least", value: .integer(.min)),
    ]
    _ = try await server.warehouse.commit(
      batch(["Play"], install: "00000000-0000-4000-8000-0000000000ff", firstKey: 0x10, properties: properties),
      app: server.app.id)
    let line = try #require(try await server.export().first { $0.hasPrefix("{\"row\"") })
    let text =
      #"{"row":1,"kind":"event","name":"Play","time":1777888800000,"received":1777888860000,"#
      + #""install":"00000000-0000-4000-8000-0000000000ff","key":{"time":1777888800000,"hash":"851f42d4c957f2d0"},"#
      + #""device":{"timeZoneOffset":-180,"osName":"iOS","osVersion":"17.4.1","model":"iPhone15,2","locale":"pt_BR","#
      + #""country":"BR","appVersion":"1.2","appBuild":"34","sdkName":"tern-swift","sdkVersion":"0.1.0"},"#
      + #""properties":[{"name":"plain","string":"a b"},{"name":"quote\"","string":"\\\n"# + "\u{7F}\u{E9}"
      + #""},{"name":"whole","double":3.0},{"name":"flag","boolean":false},{"name":"day","date":-5},"#
      + #"{"name":"least","integer":-9223372036854775808}]}"#
    #expect(line == text)
  }

  @Test func `days limit an export, in the app's time zone`() async throws {
    let server = try Server()
    for hour in 20..<24 {
      let names = ["\(hour)"]
      _ = try await server.warehouse.commit(
        batch(names, at: "2026-05-03T\(hour):30:00Z", firstKey: Int64(hour)), app: server.app.id)
    }
    func names(_ from: String?, _ to: String?) async throws -> [String] {
      try await server.export {
        $0.from = from.flatMap { Day($0) }
        $0.to = to.flatMap { Day($0) }
      }.compactMap { $0.firstMatch(of: /"name":"(\d+)"/).map { String($0.1) } }
    }
    #expect(try await names(nil, "2026-05-03") == ["20", "21"])
    #expect(try await names("2026-05-04", nil) == ["22", "23"])
    #expect(try await names("2026-05-03", "2026-05-03") == ["20", "21"])
    #expect(try await names("2026-05-05", nil).isEmpty)
  }

  @Test func `the export of a person has their rows and errors only`() async throws {
    let server = try Server()
    try await server.fill(seed: 7)
    let rows = try await server.export().filter { $0.hasPrefix("{\"row\"") }
    func texts(_ pattern: Regex<(Substring, Substring)>) -> Set<String> {
      Set(rows.compactMap { $0.firstMatch(of: pattern).map { String($0.1) } })
    }
    for install in texts(/"install":"([^"\\]*)"/) {
      let lines = try await server.export { $0.person = .install(install) }
      #expect(lines.filter { $0.hasPrefix("{\"row\"") } == rows.filter { $0.contains("\"install\":\"\(install)\"") })
      #expect(!lines.contains { $0.hasPrefix("{\"rejected\"") })
    }
    let users = texts(/"user":"([^"\\]*)"/)
    #expect(!users.isEmpty)
    for user in users {
      let lines = try await server.export { $0.person = .user(user) }
      #expect(lines.filter { $0.hasPrefix("{\"row\"") } == rows.filter { $0.contains("\"user\":\"\(user)\"") })
    }
    for person in [Person.install("nobody"), .user("nobody")] {
      await #expect(throws: WarehouseError.self) { try await server.export { $0.person = person } }
    }
  }

  @Test func `CSV has a line for each row, and quotes what needs it`() async throws {
    let server = try Server()
    let properties = [Properties.Element(name: "a,b", value: .string("say \"hi\""))]
    _ = try await server.warehouse.commit(
      batch(["Play, \"now\""], install: "00000000-0000-4000-8000-0000000000ff", properties: properties),
      app: server.app.id)
    let lines = try await server.export(.csv)
    try #require(lines.count == 2)
    #expect(lines[0].hasPrefix("row,time,microseconds,received,kind,name,install,user,"))
    let expected =
      #"1,1777888800000,,1777888860000,event,"Play, ""now""",00000000-0000-4000-8000-0000000000ff,,,0,iOS,17.4.1,"#
      + #""iPhone15,2",pt_BR,BR,-180,1.2,34,tern-swift,0.1.0,"{""a,b"":""say \""hi\""""}","#
    #expect(lines[1].trimmingCharacters(in: .newlines) == expected)
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+cmd|x", "'+cmd|x"), ("-2+3", "'-2+3"), ("-", "'-"), ("－1", "'－1"),
    ("\t=1", "\"'\t'=1\""), ("=a,b", "\"'=a,b\""), ("a;=b", "\"a;'=b\""), ("-1", "-1"), ("+4.5", "+4.5"),
    ("-1.2.3", "-1.2.3"), ("x\"=1", "\"x\"\"'=1\""),
    ("a=1", "a=1"), ("￥1", "￥1"),
  ])
  func `no spreadsheet runs a text of a CSV export`(text: String, field: String) async throws {
    let server = try Server()
    _ = try await server.warehouse.commit(batch(["Play"], install: text), app: server.app.id)
    let line = try #require(try await server.export(.csv).last)
    #expect(line.contains(",event,Play,\(field),,"), "\(line)")
    #expect(line.contains(",-180,"), "numbers stay as they are")
    let raw = try #require(try await server.export(.csv) { $0.csv.texts = .raw }.last)
    #expect(raw.contains(",event,Play,\(field.replacing("'", with: "")),,"), "\(raw)")
  }

  @Test func `a CSV export for spreadsheets has semicolons and a byte order mark, and unknown facts are no value`()
    async throws
  {
    let server = try Server()
    _ = try await server.warehouse.commit(batch(["Play", "a;b"], firstKey: 1), app: server.app.id)
    let lines = try await server.export(.csv) { $0.csv.decimal = .comma }
    #expect(lines[0].hasPrefix("\u{FEFF}row;time;microseconds;received;kind;name;install;user;"))
    #expect(lines[1].contains(";event;Play;") && lines[2].contains(";event;\"a;b\";"))
    #expect(lines[1].contains(";;;0;iOS;"), "neither a user nor a session")
  }

  @Test func `values come back exactly`() async throws {
    let (first, second) = (try Server(), try Server())
    let values: [PropertyValue] = [
      .string(""), .string("\u{0}\"\\\u{1F600}e\u{301}\u{E9}\u{2028}"), .integer(.min), .integer(.max), .integer(0),
      .double(0.1), .double(-0.0), .double(3), .double(.infinity), .double(.leastNonzeroMagnitude), .boolean(true),
      .boolean(false),
      .date(Timestamp(millisecondsSince1970: -1)),
    ]
    let properties = values.enumerated().map { Properties.Element(name: "p\($0.offset)", value: $0.element) }
    _ = try await first.warehouse.commit(
      batch(["e\u{301}", "\u{E9}"], firstKey: 1, properties: properties), app: first.app.id)
    _ = try await second.add(try await first.export())
    let events = try await second.warehouse.reader.recent(app: second.app.id, limit: 10)
    #expect(events.map { Array($0.name.utf8) } == [Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
    #expect(events[0].properties.map(\.value) == values)
  }

  @Test func `damaged, unfinished, newer and foreign files are refused`() async throws {
    let (first, second) = (try Server(), try Server())
    try await first.fill(seed: 8, batches: 10)
    let lines = try await first.export()
    func refused(_ lines: [String], rest: String = "", _ part: String) async {
      let error = await #expect(throws: WarehouseError.self) { try await second.add(lines, rest: rest) }
      #expect(error?.code == .invalid && error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    await refused([], "not an export")
    await refused(["hello"], "not an export")
    await refused(Array(lines.dropFirst()), "not an export")
    await refused([lines[0].replacing("\"version\":1", with: "\"version\":2")] + lines.dropFirst(), "newer version")
    await refused([lines[0].replacing("Europe/Berlin", with: "UTC")] + lines.dropFirst(), "time zone")
    await refused(Array(lines.prefix(3)) + ["{}"] + lines.dropFirst(3), "Line 4")
    #expect(try await second.export().count { $0.hasPrefix("{\"row\"") } == 2, "what precedes the damage is stored")
    await refused(Array(lines.prefix(3)) + ["{\"row\":1,\"kind\":\"event\"}"], "Line 4")
    await refused(Array(lines.dropLast()), "ends early")
    await refused(lines + lines, "goes on at line \(lines.count + 1)")
    await refused(lines, rest: "{", "goes on at line \(lines.count + 1)")
    await refused(Array(lines.prefix(3)) + lines, "Line 4 can't be imported. Another export begins there.")
    // An editor may have added empty lines.
    _ = try await second.add(lines + ["", ""])
    // What was stored before is completed by the whole file.
    _ = try await second.add(lines)
    let (copy, original) = (comparable(try await second.export()), comparable(lines))
    #expect(copy == original)
    #expect(try await second.isClean())
  }
}
