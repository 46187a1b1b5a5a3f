import Foundation
import TernBase

/// The zone data of this computer: a folder of TZif files, as packages like Debian's `tzdata` install and update them.
///
/// Governments change their clocks with a few weeks' notice, so the files of the system, which is updated, decide. Without any, the
/// data that come with Swift's runtime are taken, which may be a year old.
package final class ZoneDatabase: Sendable {
  /// The folders that are tried in order after that of the environment variable `TZDIR`, which other programs know as well.
  private static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]
  private static let maximumNames = 5_000

  /// The data of this computer, as they were when this process first needed them.
  package static let system = ZoneDatabase(environment: ProcessInfo.processInfo.environment)

  /// The data that come with Swift's runtime.
  package static let runtime = ZoneDatabase(folders: [])

  package let source: ZoneSource
  private let folder: String?
  private let known = Locked<[String: ZoneRules?]>([:])
  private let listed = Locked<[String]?>(nil)

  package convenience init(environment: [String: String]) {
    let given = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
    self.init(folders: (given.map { [$0] } ?? []) + Self.folders)
  }

  /// Takes the first folder that has the zone `Europe/Berlin`; without one, the data of Swift's runtime.
  package init(folders: [String]) {
    folder = folders.first { Self.table(of: "Europe/Berlin", in: $0) != nil }
    source = folder.map { ZoneSource(version: Self.version(in: $0), place: $0) } ?? .builtIn
  }

  /// True if no files were found.
  package var isBuiltIn: Bool { folder == nil }

  /// The rules of a zone; `nil` if there is none with this name. The case of letters doesn't matter.
  package func zone(_ name: String) -> ZoneRules? {
    if let found = known.withLock({ $0[name] }) { return found }
    let found = find(name)
    known.withLock { known in
      if known.count >= Self.maximumNames { known = [:] }
      known[name] = .some(found)
    }
    return found
  }

  /// The names of all zones, sorted.
  package var names: [String] {
    if let names = listed.withLock({ $0 }) { return names }
    let names = folder.map(Self.names) ?? TimeZone.knownTimeZoneIdentifiers.sorted()
    listed.withLock { $0 = names }
    return names
  }

  private func find(_ name: String) -> ZoneRules? {
    guard Self.isName(name) else { return nil }
    if name == "UTC" { return .utc }
    guard let folder else { return Self.builtIn(name) }
    if let table = Self.table(of: name, in: folder) { return ZoneRules(identifier: name, table: table, source: source) }
    let lowercased = name.lowercased()
    if let exact = names.first(where: { $0.lowercased() == lowercased }), let table = Self.table(of: exact, in: folder)
    {
      return ZoneRules(identifier: exact, table: table, source: source)
    }
    // `GMT+0200` is no name of the database, but Foundation has always read it.
    guard name.hasPrefix("GMT"), let zone = TimeZone(identifier: name) else { return nil }
    return ZoneRules(identifier: name, table: ZoneTable(offset: zone.secondsFromGMT()), source: .always)
  }

  /// Names are paths of files: no part of them leads elsewhere.
  private static func isName(_ name: String) -> Bool {
    let isAllowed = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+")].contains(byte)
    }
    return (1...60).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed) && !name.hasPrefix("/")
      && !["posix/", "right/"].contains { name.hasPrefix($0) }
  }

  private static func table(of name: String, in folder: String) -> ZoneTable? {
    read("\(folder)/\(name)", upToCount: ZoneTable.maximumFileBytes + 1).flatMap { ZoneTable(file: Array($0)) }
  }

  /// The first bytes of a regular file; opening anything else, such as a pipe, may wait for ever.
  private static func read(_ path: String, upToCount count: Int) -> Data? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try? file.read(upToCount: count)
  }

  /// The edition, which some packages have in the first line of `tzdata.zi`, and others in a file of its own.
  private static func version(in folder: String) -> String? {
    for (name, prefix) in [("tzdata.zi", "# version "), ("+VERSION", ""), ("version", "")] {
      guard let data = read("\(folder)/\(name)", upToCount: 100) else { continue }
      let line = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      let version = line.dropFirst(prefix.count)
      let isVersion = version.count >= 5 && version.count <= 20 && version.prefix(4).allSatisfy(\.isNumber)
      if line.hasPrefix(prefix), isVersion, version.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
        return String(version)
      }
    }
    return nil
  }

  private static func names(in folder: String) -> [String] {
    guard let paths = FileManager.default.enumerator(atPath: folder) else { return [] }
    var names: [String] = []
    for case let path as String in paths.lazy.prefix(20 * maximumNames) where names.count < maximumNames {
      let isCopy = path.hasPrefix("posix/") || path.hasPrefix("right/")
      // These are no zones: two name the zone of this computer or its rules, one marks that none was chosen.
      guard !isCopy, !["localtime", "posixrules", "Factory"].contains(path), isName(path),
        table(of: path, in: folder) != nil
      else { continue }
      names.append(path)
    }
    return names.sorted()
  }
}

extension ZoneDatabase {
  /// A zone as Swift's runtime has it: its changes of the years that can matter, found by asking for each day.
  package static func builtIn(_ name: String) -> ZoneRules? {
    guard let zone = TimeZone(identifier: name) else { return nil }
    let offset = { (second: Int64) in zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))) }
    let (start, end, step) = (ZoneRules.years.lowerBound, ZoneRules.years.upperBound, Int64(86_400))
    let first = offset(start)
    var (changes, current): ([ZoneTable.Change], Int) = ([], first)
    for day in stride(from: start, to: end, by: Int(step)) where offset(day + step) != current {
      var (low, high) = (day, day + step)
      while high - low > 1 {
        let middle = (low + high) / 2
        if offset(middle) == current { low = middle } else { high = middle }
      }
      current = offset(day + step)
      changes.append(ZoneTable.Change(second: high, offset: current))
    }
    return ZoneTable(first: first, changes: changes, rule: nil).map {
      ZoneRules(identifier: name, table: $0, source: .builtIn)
    }
  }
}
