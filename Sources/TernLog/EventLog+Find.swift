import TernBase
package import TernEvents

/// The location of an event that a receipt tracks.
struct Place {
  let name: SegmentName
  let offset: Int
}

/// The result of looking up events: those that are still in the log, and those that may be. All others are gone.
package struct Remaining: Equatable {
  /// In the log, waiting or claimed.
  package var found: Set<UniqueID> = []
  /// In the log or gone: a segment that may hold them cannot be read now.
  package var uncertain: Set<UniqueID> = []
}

extension EventLog {
  /// Looks up which of these events are still in the log, waiting or claimed.
  ///
  /// Reads the headers of all segments when it looks up an event for the first time, so it suits a few events and must
  /// not run on the caller of `track`; appending continues meanwhile. Later lookups of the same events use the index
  /// only. A segment that cannot be read backs off as after a claim; until its next attempt, events that were not found
  /// elsewhere are uncertain.
  package func remaining(of ids: Set<UniqueID>) -> Remaining {
    operations.withLock { operations in
      let (generation, names) = state.withLock { state in
        (state.generation, state.lanes.flatMap { lane in lane.segments.indices.map { lane.segments[$0].name } })
      }
      operations.forgetVoidClaims(generation: generation)
      let unknown = ids.subtracting(operations.places.keys)
      operations.places = state.withLock { state in
        operations.places.filter { ids.contains($0.key) && state.isPresent($0.value) }
      }
      var isUncertain = false
      for name in names where !unknown.isSubset(of: operations.places.keys) {
        if !find(unknown, in: name, generation, &operations.places) { isUncertain = true }
      }
      let found = Set(operations.places.keys)
      return Remaining(found: found, uncertain: isUncertain ? unknown.subtracting(found) : [])
    }
  }

  /// Searches the records of one segment; false if it cannot be read.
  private func find(
    _ ids: Set<UniqueID>, in name: SegmentName, _ generation: UInt64, _ places: inout [UniqueID: Place]
  ) -> Bool {
    guard let (path, segment) = state.withLock({ $0.generation == generation ? $0.pin(name) : nil }) else {
      return true
    }
    defer { state.withLock { if $0.generation == generation { $0.unpin([name]) } } }
    if segment.isSettled { return true }
    let uptime = clock.uptime
    if state.withLock({ $0.isBackingOff(name.number, at: uptime) }) { return false }
    do throws(FileError) {
      let file = try fileSystem.open(path, .read)
      defer { fileSystem.close(file) }
      let bytes = try fileSystem.bytes(of: file, from: segment.start, to: segment.end)
      bytes.withUnsafeBytes { buffer in
        var walker = SegmentWalker(
          segment, SegmentReader(bytes: buffer, base: segment.start, salt: segment.header.salt))
        while let item = walker.peek() {
          if case .record(let header, let run) = item, ids.contains(header.id) {
            places[header.id] = Place(name: name, offset: run.lower)
          }
          walker.take(item)
        }
      }
      state.withLock { $0.endBackoff(name.number) }
      return true
    } catch {
      if error.isMissing { return true }
      state.withLock { $0.backOff(name, at: uptime, isOutOfFiles: error.isOutOfFiles) }
      return false
    }
  }
}

extension LogState {
  /// True if the event at this place has not left the log.
  func isPresent(_ event: Place) -> Bool {
    guard let (lane, index) = place(of: event.name) else { return false }
    let segment = lanes[lane].segments[index]
    return !segment.isSettled && !segment.isGone(at: event.offset)
  }

  /// Protects a segment from changes until `unpin`.
  mutating func pin(_ name: SegmentName) -> (path: String, segment: Segment)? {
    guard let (lane, index) = place(of: name) else { return nil }
    lanes[lane].modify(index) { $0.isPinned = true }
    return (path(name), lanes[lane].segments[index])
  }
}
