import TernEvents

extension LogState {
  /// True if there is a directory to write to. Checks the disk at most once a second.
  mutating func isReady(at uptime: Duration) -> Bool {
    let since = uptime - lastCheck
    if since >= .zero, since < .seconds(1) { return home != nil }
    return checkHome(at: uptime)
  }

  /// Checks that the directory still exists, and creates another one if it does not.
  mutating func checkHome(at uptime: Duration) -> Bool {
    if isClosed || !looksForHome { return false }
    lastCheck = uptime
    guard home != nil, !isHomeLost else { return reattach() }
    for lane in lanes.indices { restoreActive(lane) }
    return true
  }

  /// Restores the file of the segment that is appended to, if it was removed.
  private mutating func restoreActive(_ lane: Int) {
    guard let file = lanes[lane].active, (try? fileSystem.status(file))?.isLinked == false else { return }
    for rescued in rescue() where Int(rescued.name.lane.rawValue) == lane { write(rescued) }
    // The next append opens it by its name, or begins another segment if that fails.
    fileSystem.close(file)
    lanes[lane].active = nil
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
    fresh.pendingEpochs = pendingEpochs.union(erasures.map(\.epoch))
    guard (try? fresh.attach(rescued: rescue())) != nil else { return false }
    fresh.ledger.add(.storageFailed, waiting + claimed - fresh.waiting)
    fresh.ledger.isDirty = true
    fresh.recountTracked()
    closeFiles()
    self = fresh
    // Save at once: only this process knows of the lost events, and this happens rarely.
    saveLedger()
    return true
  }

  private func rescue() -> [Rescued] {
    lanes.compactMap { lane in
      guard let file = lane.active, let segment = lane.segments.last else { return nil }
      var bytes = [UInt8](repeating: 0, count: segment.end)
      let count = bytes.withUnsafeMutableBytes { try? fileSystem.read(into: $0, from: file, at: 0) }
      return count == segment.end ? Rescued(name: segment.name, bytes: bytes) : nil
    }
  }

  /// The time of the event at the head of the queue.
  mutating func oldestWaiting() -> Timestamp? {
    let heads = lanes.indices.compactMap { headTime($0) }
    return heads.min()
  }

  private mutating func headTime(_ lane: Int) -> Timestamp? {
    guard let index = lanes[lane].firstWaiting else { return nil }
    let segment = lanes[lane].segments[index]
    if let time = segment.headTime { return time }
    // Do not reopen an unreadable file for each query.
    if readBackoffs[segment.name.number] != nil { return nil }
    // Cached until the head changes.
    guard let first = segment.firstWaiting, let file = try? fileSystem.open(path(segment.name), .read) else {
      return nil
    }
    defer { fileSystem.close(file) }
    let buffer = scratch.reserve(RecordHeader.size)
    guard let count = try? fileSystem.read(into: buffer, from: file, at: first.offset), count == RecordHeader.size,
      let start = buffer.baseAddress,
      let header = RecordHeader(UnsafeRawPointer(start), salt: segment.header.salt, offset: first.offset)
    else { return nil }
    lanes[lane].modify(index) { $0.headTime = header.time }
    return header.time
  }
}
