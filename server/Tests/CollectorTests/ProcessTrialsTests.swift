import Foundation
import Testing
import WarehouseSQLite

@testable import TernServer

/// Judging the end of a trial: only a trap says something about a row.
@Suite struct ProcessTrialsTests {
  private func endsProcess(_ script: String) async throws -> Bool {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-trials-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory.appending(path: "work"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let program = directory.appending(path: "program").path
    let isCreated = FileManager.default.createFile(
      atPath: program, contents: Data("#!/bin/sh\n\(script)\n".utf8), attributes: [.posixPermissions: 0o700])
    #expect(isCreated)
    let trials = ProcessTrials(directory: directory.path, program: program)
    return try await trials.endsProcess(.counting(rows: 1...2), rows: 1...1)
  }

  @Test(arguments: ["ILL", "TRAP", "ABRT", "SEGV", "BUS", "FPE"])
  func `a trap or a wrong access to memory is the work's own`(signal: String) async throws {
    #expect(try await endsProcess("kill -\(signal) $$"))
  }

  @Test func `a trial that ends well has done the work it was given`() async throws {
    #expect(try await !endsProcess("grep -q counting && test \"$1\" = try-work"))
  }

  @Test(arguments: ["kill -KILL $$", "kill -TERM $$", "exit 1", "exit 64"])
  func `a kill or an error says nothing about a row`(script: String) async {
    await #expect(throws: ServerFailure.self) { try await endsProcess(script) }
  }
}
