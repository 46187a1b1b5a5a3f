import Foundation
import Ingest
import ServerBase
import TernBase
import Testing

@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The files of duplicate keys.
@Suite struct KeyRunTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/keys"
  }

  private func index(pendingLimit: Int = 1_000, lastRow: Int64 = .max) throws -> DuplicateIndex {
    let index = DuplicateIndex(directory: path, pendingLimit: pendingLimit)
    try index.open(lastRow: lastRow)
    return index
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Keys whose times repeat and whose order has nothing to do with their arrival.
  private static func key(_ number: Int64) -> DuplicateKey {
    DuplicateKey(milliseconds: number &* 7_919 % 10_007 * 1_000, hash: number &* 0x5851_F42D_4C95_7F2D)
  }

  /// Adds the keys of rows, one a row, and writes them as a run.
  private func add(_ rows: ClosedRange<Int64>, to index: DuplicateIndex, received: Int64 = 0) {
    index.arrived(at: received)
    #expect(rows.allSatisfy { index.insert(Self.key($0)) })
    index.drain(throughRow: rows.upperBound)
  }

  private func isKnown(_ row: Int64, to index: DuplicateIndex) -> Bool {
    index.begin()
    defer { index.rolledBack() }
    return !index.insert(Self.key(row))
  }

  private func areKnown(_ rows: ClosedRange<Int64>, to index: DuplicateIndex) -> Bool {
    rows.allSatisfy { isKnown($0, to: index) }
  }

  private func areNew(_ rows: ClosedRange<Int64>, to index: DuplicateIndex) -> Bool {
    rows.allSatisfy { !isKnown($0, to: index) }
  }

  @Test func `keys are found in memory, in runs, and after a restart, and others aren't`() throws {
    let index = try index()
    add(1...5_000, to: index)
    add(5_001...5_400, to: index)
    #expect((5_401...5_500).allSatisfy { index.insert(Self.key($0)) })
    for subject in [index, try self.index()] {
      #expect(areKnown(1...5_400, to: subject))
      #expect(areNew(5_501...9_000, to: subject))
    }
    #expect(isKnown(5_500, to: index))
    #expect(try self.index().coveredRow == 5_400)
  }

  @Test func `more keys of one millisecond than fit on a page are told apart`() throws {
    let index = try index(pendingLimit: 5_000)
    let keys = (0..<4_000).map { DuplicateKey(milliseconds: 7, hash: Int64($0) &* 0x9E37_79B9) }
    for key in keys { #expect(index.insert(key)) }
    #expect(index.insert(DuplicateKey(milliseconds: 6, hash: 1)))
    #expect(index.insert(DuplicateKey(milliseconds: 8, hash: 1)))
    index.drain(throughRow: 4_002)
    #expect(keys.allSatisfy { !index.insert($0) })
    #expect(index.insert(DuplicateKey(milliseconds: 7, hash: -1)))
  }

  @Test func `runs of similar size are merged, and keep their keys and rows`() throws {
    let index = try index(pendingLimit: 10)
    var row: Int64 = 0
    for _ in 0..<200 {
      #expect((row + 1...row + 10).allSatisfy { index.insert(Self.key($0)) })
      row += 10
      index.committed(throughRow: row)
      index.waitForRuns()
    }
    index.drain(throughRow: row)
    #expect(try files.count < 2 * KeyRunDirectory.tier)
    let reopened = try self.index()
    #expect(reopened.coveredRow == row)
    #expect(areKnown(1...row, to: reopened))
  }

  @Test func `what a crash left of a merge is cleaned up`() throws {
    let index = try index()
    add(1...100, to: index)
    add(101...200, to: index)
    let runs = try KeyRunDirectory.runs(in: path).sorted { $0.header.after < $1.header.after }
    _ = try KeyRunWriter.merge(runs, directory: path)
    try Data(count: 5_000).write(to: URL(filePath: path + "/200-300.keys.new"))
    #expect(try files.count == 4)
    let reopened = try self.index()
    #expect(try files == ["0-200.keys"])
    #expect(reopened.coveredRow == 200)
    #expect(areKnown(1...200, to: reopened))
  }

  @Test func `a run that is missing, damaged or of rows that don't exist covers nothing, and neither do later ones`()
    throws
  {
    for fault in 0..<4 {
      let index = try index()
      add(1...100, to: index)
      add(101...200, to: index)
      add(201...300, to: index)
      let middle = path + "/100-200.keys"
      switch fault {
      case 0: try FileManager.default.removeItem(atPath: middle)
      case 1: try #require(FileHandle(forWritingAtPath: middle)).truncate(atOffset: 5_000)
      case 2:
        let file = try #require(FileHandle(forWritingAtPath: middle))
        try file.seek(toOffset: 24)
        try file.write(contentsOf: Data([0xFF]))
      default: break
      }
      let reopened = try self.index(lastRow: fault == 3 ? 199 : 1_000)
      #expect(reopened.coveredRow == 100, "\(fault)")
      #expect(try files == ["0-100.keys"])
      #expect(isKnown(1, to: reopened) && !isKnown(150, to: reopened) && !isKnown(250, to: reopened))
      reopened.removeAll()
    }
  }

  @Test func `a first run that is missing without having expired covers nothing, and neither do later ones`() throws {
    let index = try index()
    add(1...100, to: index)
    add(101...200, to: index)
    try FileManager.default.removeItem(atPath: path + "/0-100.keys")
    #expect(try self.index().coveredRow == 0)
    #expect(try files.isEmpty)
  }

  @Test func `every damaged bit of a run's header is noticed`() throws {
    let index = try index()
    add(1...100, to: index)
    let file = URL(filePath: path + "/0-100.keys")
    let whole = try Data(contentsOf: file)
    for bit in 0..<MemoryLayout<KeyRun.Header>.size * 8 {
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try damaged.write(to: file)
      let error = #expect(throws: WarehouseError.self, "bit \(bit)") { try KeyRun(path: file.path) }
      #expect(error?.code == .damaged)
    }
    try whole.write(to: file)
    #expect(try self.index().coveredRow == 100)
  }

  @Test(arguments: [Int.max, .min, 1 << 59, -1]) func `a header with sizes that no run has is damaged`(
    size: Int
  ) throws {
    let file = directory.path + "/run"
    for member in [\KeyRun.Header.count, \.filterBlocks] {
      var header = KeyRun.Header(after: 0, through: 1, received: 0)
      header.filterBlocks = 1
      header[keyPath: member] = size
      header.check = header.expectedCheck
      let bytes = withUnsafeBytes(of: header) { Data($0) } + Data(count: KeyRun.pageSize)
      try bytes.write(to: URL(fileURLWithPath: file))
      let error = #expect(throws: WarehouseError.self) { try KeyRun(path: file) }
      #expect(error?.code == .damaged)
    }
  }

  @Test func `a run that was being written when the process ended is collected again`() throws {
    let index = try index()
    add(1...100, to: index)
    try FileManager.default.moveItem(atPath: path + "/0-100.keys", toPath: path + "/0-100.keys.new")
    #expect(try self.index().coveredRow == 0)
    #expect(try files.isEmpty)
  }

  @Test func `keys of a transaction that is rolled back are forgotten`() throws {
    let index = try index()
    add(1...100, to: index)
    #expect(index.insert(Self.key(101)))
    index.begin()
    #expect((102...2_000).allSatisfy { index.insert(Self.key($0)) })
    index.rolledBack()
    #expect(areNew(102...2_000, to: index))
    #expect(areKnown(1...101, to: index))
  }

  @Test func `a run expires once all its rows arrived before the bound`() throws {
    let index = try index()
    add(1...100, to: index, received: 1_000)
    add(101...200, to: index, received: 2_000)
    index.expire(before: 1_000)
    #expect(isKnown(1, to: index))
    index.expire(before: 1_001)
    index.waitForRuns()
    #expect(!isKnown(1, to: index) && isKnown(101, to: index))
    #expect(try files == ["100-200.keys", "100.expired"])
    #expect(try self.index().coveredRow == 200)
  }

  @Test func `once all runs have expired, the next one covers the rows after them`() throws {
    let index = try index()
    add(1...100, to: index, received: 1_000)
    index.expire(before: 1_001)
    index.waitForRuns()
    #expect(try self.index().coveredRow == 100, "expired keys are not collected again")
    #expect(try self.index(lastRow: 60).coveredRow == 60, "rows that a backup lacks are others")
    add(101...150, to: index, received: 2_000)
    #expect(try files == ["100-150.keys", "100.expired"])
    index.removeAll()
    #expect(index.coveredRow == 0, "all keys are collected again")
  }

  @Test func `keys stay in memory while runs can't be written`() throws {
    let index = try index(pendingLimit: 10)
    #expect((1...50).allSatisfy { index.insert(Self.key($0)) })
    try FileManager.default.removeItem(atPath: path)
    index.committed(throughRow: 50)
    index.drain(throughRow: 50)
    #expect(areKnown(1...50, to: index))
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    index.drain(throughRow: 50)
    #expect(index.pendingCount == 0)
    #expect(areKnown(1...50, to: index))
  }

  @Test func `runs are merged although older ones of their size arrived long before`() throws {
    let index = try index(pendingLimit: 10)
    var row: Int64 = 0
    // Seven runs of January, then weeks of silence.
    for number in 0..<40 {
      index.arrived(at: number < 7 ? 0 : 60 * 86_400_000 + Int64(number))
      #expect((row + 1...row + 10).allSatisfy { index.insert(Self.key($0)) })
      row += 10
      index.committed(throughRow: row)
      index.waitForRuns()
    }
    #expect(try files.count < 7 + KeyRunDirectory.tier)
    #expect(try files.contains("0-10.keys"), "merged, it would expire later")
    #expect(areKnown(1...row, to: try self.index()))
  }

  /// Runs of neighbouring rows, given by their number of keys and the day of their arrival.
  private func headers(_ runs: [(keys: Int, day: Int64)]) -> [KeyRun.Header] {
    runs.indices.map { index in
      var header = KeyRun.Header(
        after: Int64(index), through: Int64(index) + 1, received: runs[index].day * 86_400_000)
      header.count = runs[index].keys
      return header
    }
  }

  @Test func `runs are merged although restarts left small ones among them`() {
    let mixed = (0..<16).map { (keys: $0 % 2 == 0 ? 500_000 : 10, day: Int64(0)) }
    #expect(KeyRunDirectory.mergeable(headers(mixed)) == 0..<15)
    #expect(KeyRunDirectory.mergeable(headers(Array(mixed[..<14]))).isEmpty)
    #expect(KeyRunDirectory.mergeable(headers(Array(repeating: (10, 0), count: 9))) == 1..<9, "newest first")
    #expect(KeyRunDirectory.mergeable(headers(Array(repeating: (20_000_000, 0), count: 20))).isEmpty, "too large")
  }

  @Test func `runs whose rows arrived weeks apart stay apart, and don't keep others from being merged`() {
    let spread = (0..<30).map { (keys: 500_000, day: Int64($0) * 10) }
    #expect(KeyRunDirectory.mergeable(headers(spread)).isEmpty)
    let later = spread + (0..<8).map { _ in (keys: 500_000, day: Int64(400)) }
    #expect(KeyRunDirectory.mergeable(headers(later)) == 30..<38)
    #expect(KeyRunDirectory.mergeable(headers(later + [(keys: 500_000, day: 500)])) == 30..<38)
  }

  @Test func `every damaged byte of a run's body is noticed when it is checked or merged`() throws {
    let index = try index()
    add(1...300, to: index)
    add(301...600, to: index)
    let file = URL(filePath: path + "/0-300.keys")
    let whole = try Data(contentsOf: file)
    for position in KeyRun.pageSize..<whole.count {
      var damaged = whole
      damaged[position] ^= 4
      try damaged.write(to: file)
      let run = try KeyRun(path: file.path)
      let error = #expect(throws: WarehouseError.self, "byte \(position)") { try run.checkBody() }
      #expect(error?.code == .damaged)
    }
    let runs = try KeyRunDirectory.runs(in: path).sorted { $0.header.after < $1.header.after }
    let merging = #expect(throws: WarehouseError.self) { try KeyRunWriter.merge(runs, directory: path) }
    #expect(merging?.code == .damaged)
    #expect(try files == ["0-300.keys", "300-600.keys"])
    try whole.write(to: file)
    try KeyRun(path: file.path).checkBody()
  }

  @Test func `a run that the system doesn't open is kept, because it may be whole`() throws {
    let index = try index()
    add(1...100, to: index)
    try FileManager.default.moveItem(atPath: path + "/0-100.keys", toPath: path + "/aside")
    try FileManager.default.createSymbolicLink(
      atPath: path + "/0-100.keys", withDestinationPath: path + "/0-100.keys")
    let error = #expect(throws: WarehouseError.self) { try self.index() }
    #expect(error?.code == .unavailable)
    #expect(try files.contains("0-100.keys"))
  }

  @Test func `no more keys are collected in memory than fit once they can't be written, and that is reported`() throws {
    let messages = Locked<[String]>([])
    let index = DuplicateIndex(directory: path, pendingLimit: 10) { message in messages.withLock { $0.append(message) }
    }
    try index.open(lastRow: 0)
    try FileManager.default.removeItem(atPath: path)
    var row: Int64 = 0
    let error = #expect(throws: WarehouseError.self) {
      while row < 1_000 {
        try index.checkRoom(throughRow: row)
        #expect((row + 1...row + 10).allSatisfy { index.insert(Self.key($0)) })
        row += 10
        index.committed(throughRow: row)
        index.waitForRuns()
      }
    }
    #expect(error?.code == .unavailable)
    #expect(row == 50 && index.pendingCount == 50)
    #expect(messages.withLock { $0.count } == 1)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try index.checkRoom(throughRow: row)
    index.drain(throughRow: row)
    #expect(messages.withLock { $0.count } == 2)
    #expect(areKnown(1...row, to: try self.index()))
  }

  @Test func `runs don't expire while others are merged, but later`() throws {
    let index = try index(pendingLimit: 10)
    for number in 0..<Int64(KeyRunDirectory.tier) {
      index.arrived(at: 1)
      #expect((number * 10 + 1...number * 10 + 10).allSatisfy { index.insert(Self.key($0)) })
      index.drain(throughRow: number * 10 + 10)
    }
    // It starts the merge.
    index.committed(throughRow: 80)
    #expect(!index.expire(before: 2), "the merge has begun, and its result wasn't taken")
    index.waitForRuns()
    #expect(index.expire(before: 2))
    index.waitForRuns()
    #expect(try files == ["80.expired"])
    #expect(areNew(1...80, to: index))
  }
}
