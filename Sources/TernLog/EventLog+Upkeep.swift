import TernBase
import TernEvents

extension EventLog {
  /// Changes the limit of bytes on disk; values under 24 KiB are raised to it.
  ///
  /// A lower limit takes effect at once, except for events in open claims, which may be evicted once settled.
  package func setMaximumBytes(_ bytes: Int) {
    operations.withLock { _ in
      state.withLock { $0.maximumBytes = max(bytes, 24 << 10) }
      shrink()
      saveCounts()
    }
  }

  /// Removes every event, including the logs of dead processes; open claims become void.
  ///
  /// The events are counted as `.erased`. Only the drop counts and the lock stay on disk. Unless the durability is
  /// `.never`, power loss brings nothing back once this has returned.
  package func erase() {
    operations.withLock { operations in
      operations.claims = [:]
      let present = state.withLock { state in
        _ = state.checkHome(at: clock.uptime)
        return state.home
      }
      // Search outside the lock, since `append` would wait for it: usually there are none.
      let orphans = present.map { LogDirectory.orphans(in: configuration.directory, besides: $0, fileSystem) } ?? []
      let firstToKeep = state.withLock { state -> UInt64 in
        // Events of dead processes are erased too, so they are counted too.
        if !orphans.isEmpty { state.adopt(orphans) }
        return state.forgetEverything()
      }
      guard let home = state.withLock({ $0.home }) else { return }
      // Everything but the segments begun since, including quarantined and unreadable files.
      let isEvent: (String) -> Bool = { $0 != LogDirectory.lockName && $0 != DropLedger.fileName }
      for name in (try? fileSystem.list(home.path)) ?? [] where isEvent(name) {
        if let segment = SegmentName(name), segment.number >= firstToKeep, !segment.isStray { continue }
        wipe(home.path(name))
      }
      flushNames(home)
      for orphan in LogDirectory.orphans(in: configuration.directory, besides: home, fileSystem) {
        for name in (try? fileSystem.list(orphan.path)) ?? [] where isEvent(name) { wipe(orphan.path(name)) }
        flushNames(orphan)
        fileSystem.close(orphan.lock)
      }
      saveCounts()
    }
  }

  /// If flushing fails, the system writes in its own time.
  private func flushNames(_ directory: LogDirectory) {
    if configuration.durability != .never { try? fileSystem.synchronize(directory.path) }
  }

  /// Adopts the events of processes that died since this log was opened; true if more events wait now.
  ///
  /// Reads all sibling directories, so it must not run on the caller of `track`.
  package func adoptOrphans() -> Bool {
    operations.withLock { _ in
      guard let home = state.withLock({ $0.isClosed ? nil : $0.home }) else { return false }
      // Search outside the lock, since `append` would wait for it: usually there are none.
      let orphans = LogDirectory.orphans(in: configuration.directory, besides: home, fileSystem)
      let hasEvents = orphans.contains { (try? $0.segments(fileSystem))?.isEmpty == false }
      guard hasEvents else {
        for orphan in orphans { fileSystem.close(orphan.lock) }
        return false
      }
      let isMore = state.withLock { state in
        let before = state.waiting
        state.adopt(orphans)
        return state.waiting > before
      }
      shrink()
      saveCounts()
      return isMore
    }
  }

  /// Removes a file, or empties it if it cannot be removed.
  private func wipe(_ path: String) {
    do throws(FileError) {
      try fileSystem.remove(path)
    } catch {
      guard !error.isMissing, let file = try? fileSystem.open(path, .update) else { return }
      try? fileSystem.truncate(file, to: 0)
      fileSystem.close(file)
    }
  }

  /// Flushes everything to the medium and waits for it, so it must not run on the caller of `track`.
  ///
  /// Only saves the drop counts if the durability is `.never`. All other calls continue meanwhile.
  package func synchronize() {
    flushing.withLock { isFlushing in
      isFlushing = true
      defer { isFlushing = false }
      let now = (wall: clock.wallTime, uptime: clock.uptime)
      saveCounts()
      let work = state.withLock { state -> FlushWork in
        _ = state.expiryRule(now.wall, now.uptime)
        state.saveAgeClock()
        return configuration.durability == .never ? FlushWork() : state.takeFlushWork()
      }
      var failed: [SegmentName] = []
      for (name, path) in work.segments {
        do throws(FileError) {
          try fileSystem.synchronize(path)
        } catch {
          if !error.isMissing { failed.append(name) }
        }
      }
      let isDirectoryFlushed = work.directories.allSatisfy { (try? fileSystem.synchronize($0)) != nil }
      state.withLock { $0.finishFlush(failed: failed, isDirectoryFlushed) }
    }
  }

  /// Releases the directory; later appends are dropped.
  package func close() {
    operations.withLock { operations in
      operations.claims = [:]
      // No save may be under way when the directory is free for another process.
      savingCounts.withLock { _ in state.withLock { $0.close() } }
    }
  }
}

extension LogState {
  /// Saves what is known, and releases the directory.
  fileprivate mutating func close() {
    if isClosed { return }
    sealAll()
    _ = removeSettled()
    endErasures()
    if hasUnsavedErasures { saveErasures() }
    saveLedger()
    _ = expiryRule(clock.wallTime, clock.uptime)
    saveAgeClock()
    isClosed = true
    closeFiles()
  }
}

/// The files to flush to the medium.
struct FlushWork {
  var segments: [(name: SegmentName, path: String)] = []
  var directories: [String] = []
}

extension LogState {
  /// Starts over without any event; returns the first number of new segments.
  mutating func forgetEverything() -> UInt64 {
    ledger.add(.erased, waiting + claimed)
    generation += 1
    sealAll()
    lanes = [LaneIndex(), LaneIndex()]
    settled = []
    readBackoffs = [:]
    unread = [:]
    spares = SparePool()
    erasures = []
    hasUnsavedErasures = false
    unreadErasuresBelow = nil
    pendingErasures = []
    quarantinedBytes = 0
    leavingBytes = 0
    savedAgeClock = nil
    ageClockBytes = 0
    return nextNumber
  }

  mutating func takeFlushWork() -> FlushWork {
    var work = FlushWork()
    for lane in lanes.indices {
      guard let number = lanes[lane].unsyncedFrom else { continue }
      lanes[lane].unsyncedFrom = nil
      let segments = lanes[lane].segments
      for index in segments.firstIndex(from: number)..<segments.indices.upperBound {
        work.segments.append((segments[index].name, path(segments[index].name)))
      }
    }
    if hasUnsyncedNames, let home {
      work.directories = isHomeUnsynced ? [home.path, configuration.directory] : [home.path]
      isHomeUnsynced = false
    }
    hasUnsyncedNames = false
    return work
  }

  /// Puts back what could not be flushed.
  mutating func finishFlush(failed: [SegmentName], _ isDirectoryFlushed: Bool) {
    for name in failed { lanes[Int(name.lane.rawValue)].markUnsynced(name.number) }
    if !isDirectoryFlushed {
      hasUnsyncedNames = true
      isHomeUnsynced = true
    }
  }
}
