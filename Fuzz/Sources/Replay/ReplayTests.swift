import Foundation
import Testing

/// Ordinary tests with the code of the fuzzer's targets (docs/fuzzing.md): what damaged inputs break is found without a
/// build for the fuzzer. This folder belongs to the tests of both packages, each with the targets of its own.
@Suite(.serialized) struct `Inputs that the fuzzer starts from` {
  /// In a process of its own, because a finding is a trap, and because targets wait for their work on its main thread.
  @Test(arguments: FuzzTarget.all.map(\.key))
  func `are read, and so are inputs that a fixed seed makes of them`(target: String) async throws {
    let replay = Replay(target: target)
    try replay.prepare()
    await #expect(processExitsWith: .success, "\(replay.finding)") { [replay = replay as Replay] in
      try await MainActor.run { try replay.run() }
    }
    replay.removeWarehouses()
  }
}
