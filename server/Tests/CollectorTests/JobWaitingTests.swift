import AppCatalog
import Foundation
import Testing
import Warehouse

@testable import TernCommand
@testable import TernServer

/// Tests the lines of a command that waits for a server.
@Suite struct JobWaitingTests {
  private let job = DataJob(id: 7, kind: .importFile, app: AppID(2), argument: "/rows.ndjson")
  private let earlier = DataJob(id: 6, kind: .deletePerson, app: AppID(1), argument: "")

  /// The lines that a command shows which asks ten times a second.
  private func lines(
    seconds: Int, freeBytes: Int64? = nil, _ state: (_ second: Int) -> (current: DataJob, progress: DataJob.Progress?)
  ) throws -> [String] {
    var (waiting, start) = (JobWaiting(job: job, directory: "data"), ContinuousClock.now)
    var lines: [String] = []
    for step in 0..<(seconds * 10) {
      let (current, progress) = state(step / 10)
      if let line = try waiting.line(current: current, progress: progress, freeBytes: freeBytes, now: start) {
        lines.append(line)
      }
      start += .milliseconds(100)
    }
    return lines
  }

  @Test func `work that is done within a second is waited for in silence`() throws {
    #expect(try lines(seconds: 1) { _ in (job, nil) } == [])
  }

  @Test func `progress is shown every five seconds, and nothing twice`() throws {
    let shown = try lines(seconds: 20) { second in
      (job, DataJob.Progress(text: "\(min(second, 9)) rows so far."))
    }
    #expect(
      shown == [1, 6, 9].map { "Waiting for the server on data: import, app 2. \($0) rows so far." })
  }

  @Test func `earlier work is named`() throws {
    #expect(
      try lines(seconds: 3) { _ in (earlier, nil) }
        == ["Waiting for the server on data, which does earlier work first: delete person, app 1."])
  }

  @Test(arguments: [true, false]) func `nothing is waited for that needs room on the disk`(isOwn: Bool) throws {
    let error = try #require(throws: ServerFailure.self) {
      try lines(seconds: 1) { _ in
        (isOwn ? job : earlier, DataJob.Progress(text: "The disk is full.", obstacle: .disk))
      }
    }
    #expect("\(error)".contains("The disk is full. Make room: the server on data then does the work"))
  }

  @Test func `a deletion that damage keeps from being done isn't waited for`() throws {
    let error = try #require(throws: ServerFailure.self) {
      try lines(seconds: 1) { _ in
        (job, DataJob.Progress(text: "1.rows is damaged. Run `tern rebuild`.", obstacle: .damage))
      }
    }
    #expect("\(error)" == "1.rows is damaged. Run `tern rebuild`.")
  }

  @Test func `a full disk on which the server can't even note why it waits ends the command`() throws {
    let error = try #require(throws: ServerFailure.self) {
      try lines(seconds: 2, freeBytes: 9 << 10) { _ in (job, nil) }
    }
    #expect("\(error)".contains("Only 9 KiB are free on the disk. Make room"))
    let shown = try lines(seconds: 2, freeBytes: 16 << 20) { _ in (job, nil) }
    #expect(shown.count == 1)
    // A job that ends within a second is not disturbed.
    let quick = try lines(seconds: 1, freeBytes: 0) { _ in (job, nil) }
    #expect(quick.isEmpty)
  }

  @Test func `a server that has ended is waited for, and its end is said once`() {
    let start = ContinuousClock.now
    var server = OtherServer.none
    func ends(_ isServed: Bool, _ seconds: Int) -> Bool {
      server.hasEnded(isServed: isServed, now: start + .seconds(seconds))
    }
    #expect(!ends(false, 0) && !server.doesTheWork(now: start), "no server, so nothing to wait for")
    #expect(!ends(true, 1) && server.doesTheWork(now: start + .seconds(900)))
    #expect(ends(false, 1_000) && !ends(false, 1_010))
    #expect(server.doesTheWork(now: start + .seconds(1_019)) && !server.doesTheWork(now: start + .seconds(1_020)))
    #expect(!ends(true, 1_019) && ends(false, 1_030) && server.doesTheWork(now: start + .seconds(1_049)))
  }

  @Test func `a copy of standard input is recognized by its name beside a catalog`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-copy-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let copy = "\(directory)/import-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    #expect(!ImportInput.isCopy(copy))
    try Catalog(directory: directory).close()
    #expect(ImportInput.isCopy(copy))
    #expect(!ImportInput.isCopy("\(directory)/import-mine") && !ImportInput.isCopy("\(directory)/rows.ndjson"))
  }
}
