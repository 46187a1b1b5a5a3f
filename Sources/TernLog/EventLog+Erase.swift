import TernBase
import TernEvents

extension EventLog {
  /// Removes the events of one identity or part that are in the log now, by removing their segments.
  ///
  /// They are counted as `.erased`, including those in open claims, which settling then skips. Later events are kept.
  /// Logs of dead processes are adopted first. Removes files, so it must not run on the caller of `track`; appending
  /// continues meanwhile.
  ///
  /// Returns true if nothing of it is left on the disk; unless the durability is `.never`, power loss brings nothing
  /// back then. Events whose files cannot be removed are not handed out either; removing is retried while the log is
  /// open and when it is opened again.
  @discardableResult
  package func erase(_ target: ErasureTarget) -> Bool {
    operations.withLock { _ in
      let home = state.withLock { state -> LogDirectory? in
        guard state.checkHome(at: clock.uptime) else {
          // Applies to the events that are found once there is a directory.
          state.pendingErasures.append(target)
          return nil
        }
        state.adoptOrphans()
        state.begin(target)
        return state.home
      }
      guard let home else { return false }
      // Before the first file goes: if the process ends before the last one has, the next process removes the rest.
      saveErasures()
      state.withLock { $0.applyErasures() }
      removeSettled()
      shrink()
      var isOnMedium = true
      if configuration.durability != .never {
        do throws(FileError) { try fileSystem.synchronize(home.path) } catch { isOnMedium = false }
      }
      saveCounts()
      return state.withLock { state in isOnMedium && !state.erasures.contains { $0.target == target } }
    }
  }

  /// Saves the open erasures without the lock, since that waits for the medium. If it fails, the next removal of files
  /// saves them.
  func saveErasures() {
    let (file, generation) = state.withLock { ($0.erasureFile, $0.generation) }
    guard let file, file.write(fileSystem) else { return }
    state.withLock { if $0.generation == generation { $0.hasUnsavedErasures = false } }
  }
}
