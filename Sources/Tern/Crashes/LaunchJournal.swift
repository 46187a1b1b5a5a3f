import Foundation
import TernBase
import TernEvents

/// The file with the last launches of an app, for systems that report crashes at a later launch.
final class LaunchJournal: Sendable {
  /// The launches before this one.
  let earlier: LaunchHistory
  private let file: URL
  private let state: Locked<(history: LaunchHistory, launch: LaunchHistory.Launch)>

  /// Reads the file; one that is missing or damaged has no launches.
  init(_ file: URL, process: Int, launched: Timestamp) {
    self.file = file
    earlier = (try? JSONDecoder().decode(LaunchHistory.self, from: Data(contentsOf: file))) ?? LaunchHistory()
    let launch = LaunchHistory.Launch(process: process, launched: launched.millisecondsSince1970, context: "")
    state = Locked((earlier, launch))
  }

  /// Saves the context of this launch.
  func update(_ context: [UInt8]) {
    state.withLock { state in
      state.launch.context = String(decoding: context, as: UTF8.self)
      state.history.update(state.launch)
      // If it can't be written, these crashes are reported without session and user.
      try? JSONEncoder().encode(state.history).write(to: file, options: .atomic)
    }
  }
}
