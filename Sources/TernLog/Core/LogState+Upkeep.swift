import TernBase
import TernEvents

extension LogState {
  /// True if there is a directory to write to. Checks the disk at most once a second.
  mutating func isReady(at uptimeMilliseconds: Int64) -> Bool {
    if (0..<1_000).contains(uptimeMilliseconds.subtractingSaturated(lastCheck)) { return home != nil }
    return checkHome(at: .milliseconds(uptimeMilliseconds))
  }

  /// Checks that the directory still exists, and creates another one if it does not.
  mutating func checkHome(at uptime: Duration) -> Bool {
    if isClosed || !looksForHome { return false }
    lastCheck = uptime.wholeMilliseconds
    guard home != nil, !isHomeLost else { return reattach() }
    for slot in openSegments.indices { restore(slot) }
    return true
  }

  /// Restores the file of a segment that is appended to, if it was removed.
  private mutating func restore(_ slot: Int) {
    guard let file = openSegments[slot]?.file, (try? fileSystem.status(file))?.isLinked == false else { return }
    if let rescued = rescue(slot) { write(rescued) }
    // The next append opens it by its name, or begins another segment if that fails.
    fileSystem.close(file)
    openSegments[slot]?.file = nil
  }

  /// Creates a new directory if this one was removed; false if it still exists or none can be created.
  mutating func reattachIfLost() -> Bool {
    isHomeLost && reattach()
  }

  private var isHomeLost: Bool {
    guard let home else { return true }
    // A failing call proves nothing about the directory.
    return ((try? fileSystem.status(home.lock))?.isLinked) == false
  }

  /// Starts over in a new directory. Events of open files are saved; the rest is counted as lost.
  private mutating func reattach() -> Bool {
    var fresh = LogState(configuration, fileSystem, clock)
    fresh.maximumBytes = maximumBytes
    fresh.ledger = ledger
    fresh.nextNumber = nextNumber
    fresh.generation = generation + 1
    fresh.ledgerHome = ledgerHome
    fresh.deliveredHere = deliveredHere
    fresh.ageClock = ageClock
    fresh.erasures = erasures
    fresh.hasUnsavedErasures = !erasures.isEmpty
    fresh.pendingErasures = pendingErasures
    guard (try? fresh.attach(rescued: openSegments.indices.compactMap { rescue($0) })) != nil else { return false }
    fresh.ledger.add(.storageFailed, waiting + claimed - fresh.waiting)
    fresh.ledger.isDirty = true
    fresh.recountTracked()
    closeFiles()
    self = fresh
    // Save at once: only this process knows of the lost events, and this happens rarely.
    saveLedger()
    return true
  }

  /// The bytes of a segment that is appended to.
  private func rescue(_ slot: Int) -> Rescued? {
    let lane = slot / LogContext.Part.allCases.count
    guard let own = openSegments[slot], let file = own.file, let index = lanes[lane].segments.index(of: own.number)
    else {
      return nil
    }
    let segment = lanes[lane].segments[index]
    var bytes = [UInt8](repeating: 0, count: segment.end)
    let count = bytes.withUnsafeMutableBytes { try? fileSystem.read(into: $0, from: file, at: 0) }
    return count == segment.end ? Rescued(name: segment.name, bytes: bytes) : nil
  }
}
