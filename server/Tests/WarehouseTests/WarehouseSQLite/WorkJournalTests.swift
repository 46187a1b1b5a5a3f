import Foundation
import TernBase
import TernEvents
import Testing

@testable import Warehouse
@testable import WarehouseSQLite

/// The record of work in progress, after the process that did it has ended.
@Suite struct WorkJournalTests {
  private let directory: TemporaryDirectory
  private let time = Locked<Int64>(1_000_000)

  init() throws { directory = try TemporaryDirectory() }

  private func open(examines: Bool = true) throws -> WorkJournal {
    try WorkJournal(directory.path + "/work", examines: examines) { [time] in
      Timestamp(millisecondsSince1970: time.withLock { $0 })
    }
  }

  private func isHeld(_ work: DerivedWork, _ journal: WorkJournal) -> Bool {
    do {
      journal.end(try journal.begin(work))
      return false
    } catch {
      return error.code == .held
    }
  }

  /// The records of work that has not ended.
  private func records() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/work")
    return try names.map { try String(contentsOfFile: "\(directory.path)/work/\($0)", encoding: .utf8) }
      .filter { !$0.allSatisfy(\.isWhitespace) }
  }

  private static let counting = DerivedWork.counting(rows: 1...20)
  private static let question = DerivedWork.question(
    kind: "query", json: #"{"metrics":["events"]}"#, app: 1, today: 20_000, through: 9)

  @Test func `work that ended leaves nothing, whatever came of it`() throws {
    let journal = try open()
    #expect(try journal.perform(Self.counting) { 7 } == 7)
    #expect(throws: CancellationError.self) { try journal.perform(Self.question) { throw CancellationError() } }
    #expect(try open().unexamined.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/work").isEmpty)
  }

  @Test func `files of work that ended serve again, without a word of it, and go with the journal`() throws {
    var journal: WorkJournal? = try open()
    let inside = try journal?.perform(Self.question) {
      [try journal?.perform(Self.counting) { try records().count }, try records().count]
    }
    #expect(inside == [2, 1])
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/work").sorted()
    #expect(files == ["1.work", "2.work"])
    #expect(try records().isEmpty)
    // Shorter than the question before it.
    #expect(try journal?.perform(Self.counting) { try records().count } == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/work").sorted() == files)
    _ = try journal?.begin(Self.counting)
    #expect(try open().unexamined == [Self.counting])
    journal = nil
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/work") == ["interrupted.json"])
  }

  @Test func `work that is done together is recorded and examined one by one`() throws {
    let journal: WorkJournal? = try open()
    let inside = try journal.perform(all: [Self.counting, Self.question][...]) { try records().count }
    #expect(inside == 2)
    #expect(try records().isEmpty)
    let interrupted = try open()
    _ = (try interrupted.begin(Self.counting), try interrupted.begin(Self.question))
    let next = try open()
    #expect(Set(next.unexamined) == [Self.counting, Self.question])
    next.markExamined(Self.counting)
    #expect(!isHeld(Self.counting, next) && isHeld(Self.question, next))
    #expect(throws: WarehouseError.self) {
      try Optional(next).perform(all: [Self.counting, Self.question][...]) { Issue.record("It is held.") }
    }
  }

  @Test func `work that was being done is held until it was examined, and everything else goes on`() throws {
    _ = try open().begin(Self.counting)
    let journal = try open()
    #expect(journal.unexamined == [Self.counting])
    // Other rows have arrived.
    #expect(isHeld(.counting(rows: 1...30), journal))
    #expect(!isHeld(Self.question, journal))
    #expect(journal.problems.count == 1)
    journal.markExamined(Self.counting)
    #expect(!isHeld(Self.counting, journal) && journal.problems.isEmpty)
    #expect(try open().unexamined.isEmpty)
  }

  @Test func `a start that ends before the examination does not forget it`() throws {
    _ = try open().begin(Self.question)
    _ = try open()
    #expect(try open().unexamined == [Self.question])
  }

  @Test func `work that fails again and again without a row to blame is held for an hour`() throws {
    for end in 1...WorkJournal.innocentEnds {
      let journal = try open()
      if end > 1 { journal.markExamined(Self.counting) }
      _ = try journal.begin(Self.counting)
    }
    let journal = try open()
    journal.markExamined(Self.counting)
    #expect(isHeld(Self.counting, journal) && journal.problems.count == 1)
    time.withLock { $0 += WorkJournal.holdTime }
    #expect(!isHeld(Self.counting, journal))
    // It has ended well.
    #expect(try !isHeld(Self.counting, open()))
  }

  @Test func `a request is held after the second end, and only that one`() throws {
    let request = DerivedWork.request("GET /apps/1?days=7")
    _ = try open().begin(request)
    #expect(try open().unexamined.isEmpty)
    _ = try open().begin(request)
    let journal = try open()
    #expect(isHeld(request, journal) && !isHeld(.request("GET /apps/1?days=8"), journal))
  }

  @Test func `records are written beside names that are taken, and a full disk is shown`() throws {
    let work = directory.path + "/work"
    for number in 1...3 {
      try FileManager.default.createDirectory(atPath: "\(work)/\(number).work", withIntermediateDirectories: true)
    }
    let journal = try open()
    _ = try journal.begin(Self.counting)
    #expect(journal.problems.isEmpty)
    #expect(try open().unexamined == [Self.counting])

    // A directory where the next record would be, as if it could not be written.
    try FileManager.default.createDirectory(atPath: "\(work)/5.work", withIntermediateDirectories: true)
    #expect(try journal.perform(Self.question) { 7 } == 7)
    #expect(journal.problems.count == 1)
    #expect(try journal.perform(Self.question) { journal.problems.isEmpty })
  }

  @Test func `where nothing examines interrupted work, it is tried again`()
    throws
  {
    _ = try open().begin(Self.counting)
    _ = try open()
    let journal = try open(examines: false)
    #expect(journal.unexamined.isEmpty && !isHeld(Self.counting, journal))
  }

  @Test func `an interruption that holds nothing any more leaves the disk, because questions name persons`() throws {
    let path = directory.path + "/work/interrupted.json"
    _ = try open().begin(Self.question)
    let journal = try open()
    time.withLock { $0 += WorkJournal.holdTime }
    journal.forgetOld()
    #expect(journal.unexamined == [Self.question], "it is not examined yet")
    journal.markExamined(Self.question)
    journal.forgetOld()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "[]")
  }

  @Test func `damaged files are no obstacle`() throws {
    _ = try open().begin(Self.counting)
    for name in ["7.work", "interrupted.json"] {
      try Data("{".utf8).write(to: URL(filePath: directory.path + "/work/\(name)"))
    }
    #expect(try open().unexamined == [Self.counting])
  }
}
