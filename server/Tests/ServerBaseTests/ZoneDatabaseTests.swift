import Foundation
import TernBase
import TernChildProcess
import Testing

@testable import ServerBase

/// The zone data of a computer.
@Suite struct ZoneDatabaseTests {
  private func folder(_ edition: String?, _ zones: [String: ZoneTable] = [:]) throws -> ZoneFolder {
    try ZoneFolder(
      edition: edition, zones.merging(["Europe/Berlin": try #require(zoneTable(3_600))]) { given, _ in given })
  }

  @Test func `the first folder with zones is taken, and says its edition`() throws {
    let (empty, files) = (try ZoneFolder(edition: "2030a", [:]), try folder("2026f"))
    let database = ZoneDatabase(folders: ["/nowhere", empty.path, files.path])
    #expect(database.source == ZoneSource(version: "2026f", place: files.path) && !database.isBuiltIn)
    #expect("\(database.source)" == "2026f from \(files.path)")
    #expect(database.zone("Europe/Berlin")?.table.offset(atSecond: 0) == 3_600)
    #expect(database.zone("Europe/Berlin")?.source == database.source)
    let silent = try folder(nil)
    #expect(ZoneDatabase(folders: [silent.path]).source == ZoneSource(version: nil, place: silent.path))
    #expect(ZoneDatabase(environment: ["TZDIR": silent.path]).source.place == silent.path)
  }

  @Test func `names may differ in the case of letters, and lead nowhere else`() throws {
    let files = try folder("2026f", ["America/Port-au-Prince": try #require(zoneTable(-18_000))])
    try files.write(Array("no zone".utf8), to: "zone.tab")
    try files.write(try #require(zoneTable(0)).file, to: "posix/Europe/Berlin")
    try files.write(try #require(zoneTable(0)).file, to: "localtime")
    let database = ZoneDatabase(folders: [files.path])
    #expect(database.zone("america/port-AU-prince")?.identifier == "America/Port-au-Prince")
    #expect(database.names == ["America/Port-au-Prince", "Europe/Berlin"])
    let parent = String(files.path.split(separator: "/").last ?? "")
    for name in [
      "", "Mars/Olympus", "zone.tab", "/Europe/Berlin", "../\(parent)/Europe/Berlin", "Europe/../Europe/Berlin",
      "Europe",
      "posix/Europe/Berlin", "Europe/Berlin\n", "Europe/Berlin\0", String(repeating: "A", count: 61),
    ] {
      #expect(database.zone(name) == nil, "\(name)")
    }
    #expect(database.zone("UTC") == .utc)
    #expect(database.zone("GMT+0200")?.table.offset(atSecond: 0) == 7_200)
  }

  @Test(.timeLimit(.minutes(5))) func `a pipe in place of a file is no zone, and is not waited for`() throws {
    let files = try folder("2026f")
    #expect(mkfifo(files.path + "/Pipe", 0o600) == 0 && mkfifo(files.path + "/+VERSION", 0o600) == 0)
    let database = ZoneDatabase(folders: [files.path])
    #expect(database.zone("Pipe") == nil && database.names == ["Europe/Berlin"])
  }

  @Test func `without files, zones are those of Swift's runtime, at every hour of a century`() throws {
    let database = ZoneDatabase(folders: ["/nowhere"])
    #expect(database.isBuiltIn && database.source == .builtIn && database.names.contains("Europe/Berlin"))
    let (zone, foundation) = (
      try #require(database.zone("Europe/Berlin")), try #require(TimeZone(identifier: "Europe/Berlin"))
    )
    for second in stride(from: seconds("1970-01-01T00:30:00Z"), to: seconds("2038-01-01T00:00:00Z"), by: 7 * 3_600) {
      let expected = foundation.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
      #expect(zone.table.offset(atSecond: second) == expected)
    }
    #expect(database.zone("Mars/Olympus") == nil)
  }

  @Test func `the description of rules is short, and differs where times do`() throws {
    let (berlin, other) = (try #require(ZoneRules("Europe/Berlin")), try #require(ZoneRules("Europe/Lisbon")))
    let again = ZoneRules(identifier: berlin.identifier, table: berlin.table, source: berlin.source)
    #expect("\(berlin)".utf8.count < 100 && "\(berlin)" == "\(again)")
    let renamed = ZoneRules(identifier: berlin.identifier, table: other.table, source: berlin.source)
    #expect("\(renamed)" != "\(berlin)")
  }

  @Test func `newer data take the place of older ones, and never the other way round`() {
    let (old, new) = (ZoneSource(version: "2025b", place: "/a"), ZoneSource(version: "2026f", place: "/a"))
    let unknown = ZoneSource(version: nil, place: "/b")
    #expect(new.isNewer(than: old) && !old.isNewer(than: new) && !new.isNewer(than: new))
    #expect(!ZoneSource(version: "2026f", place: "/b").isNewer(than: new), "the same edition elsewhere")
    #expect(new.isNewer(than: .builtIn) && unknown.isNewer(than: .builtIn) && !ZoneSource.builtIn.isNewer(than: old))
    #expect(new.isNewer(than: unknown) && !unknown.isNewer(than: new))
  }
}

/// The zone data that are installed here, read by another program too: glibc's zdump.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zdump")))
struct InstalledZoneTests {
  @Test func `all changes of all zones from 1970 to 2037 are those that another program reads from the same files`()
    async throws
  {
    let database = ZoneDatabase.system
    try #require(database.names.count > 300)
    // Many names are names of one file.
    var names: [ZoneTable: String] = [:]
    for name in database.names { names[try #require(database.zone(name)).table] = name }
    let file = FileManager.default.temporaryDirectory.path + "/tern-zdump-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    let output = try #require(FileHandle(forWritingAtPath: file))
    let program = try ChildProcess(
      "/usr/bin/zdump", ["-v", "-c", "1970,2038"] + names.values, environment: ["LC_ALL": "C", "TZ": "UTC"],
      output: output)
    #expect(await program.ended() == .code(0))
    // Two lines for each change: the second before it, and its own.
    var moments: [Substring: Set<Int64>] = [:]
    for line in String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self).split(separator: "\n")
    {
      let words = line.split(separator: " ")
      // Chicago Sun Mar 8 07:59:59 2026 UT = Sun Mar 8 01:59:59 2026 CST isdst=0 gmtoff=-21600
      guard words.count == 16, words[6] == "UT", let offset = Int(words[15].dropFirst(7)) else { continue }
      let second = try #require(Self.second(words[2...5]))
      let zone = try #require(database.zone(String(words[0])))
      guard zone.table.offset(atSecond: second) == offset else {
        Issue.record("\(line): \(zone.table.offset(atSecond: second))")
        continue
      }
      moments[words[0], default: []].insert(second)
    }
    let years = seconds("1970-01-01T00:00:00Z")..<seconds("2038-01-01T00:00:00Z")
    for (table, name) in names {
      let changes = table.moments(in: years).filter { table.offset(atSecond: $0) != table.offset(atSecond: $0 - 1) }
      let unknown = changes.filter { !(moments[Substring(name)]?.contains($0) ?? false) }
      #expect(unknown.isEmpty, "\(name): changes that the other program does not know: \(unknown)")
    }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Mar 8 07:59:59 2026`, in UTC.
  private static func second(_ words: ArraySlice<Substring>) -> Int64? {
    let words = Array(words)
    guard let month = months.firstIndex(of: String(words[0])), let day = Int(words[1]), let year = Int(words[3]) else {
      return nil
    }
    let clock = words[2].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3 else { return nil }
    let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
    return Int64(days) * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
  }

  /// From the announcements of the editions 2026a to 2026f.
  @Test(
    .enabled(if: (ZoneDatabase.system.source.version ?? "") >= "2026f"),
    arguments: [
      ("America/Vancouver", "2026-11-01T09:00:00Z", -7), ("America/Edmonton", "2026-11-01T08:00:00Z", -6),
      ("America/Inuvik", "2026-11-01T08:00:00Z", -6), ("America/Yellowknife", "2026-11-01T08:00:00Z", -6),
      ("America/Winnipeg", "2026-11-01T07:00:00Z", -5), ("America/Rainy_River", "2026-11-01T07:00:00Z", -5),
      ("America/Havana", "2026-11-01T05:00:00Z", -4),
      ("Africa/Casablanca", "2026-09-20T02:00:00Z", 0), ("Africa/El_Aaiun", "2026-09-20T02:00:00Z", 0),
      ("Europe/Chisinau", "2026-10-25T00:59:59Z", 3), ("Europe/Chisinau", "2026-10-25T01:00:00Z", 2),
    ])
  func `the changes of 2026 are known`(zone: String, time: String, hours: Int) throws {
    #expect(try #require(ZoneRules(zone)).table.offset(atSecond: seconds(time)) == hours * 3_600)
  }

  @Test func `two names of one zone have the same times`() throws {
    let calcutta = try #require(ZoneRules("Asia/Calcutta"))
    #expect(calcutta.hasSameTimes(as: try #require(ZoneRules("Asia/Kolkata"))))
    #expect(!calcutta.hasSameTimes(as: try #require(ZoneRules("Asia/Karachi"))))
  }
}
