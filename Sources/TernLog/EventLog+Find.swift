import TernBase
package import TernEvents

/// The location of an event that a receipt tracks.
struct Place {
  let name: SegmentName
  let offset: Int
  /// The segment's revision when the event was seen there.
  let revision: Int
}

/// The events that are still in the log; all others that were looked up are gone.
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
  /// only, except for segments that were rewritten meanwhile. A segment that cannot be read backs off as after a claim;
  /// until its next attempt, events that were not found elsewhere are uncertain.
  package func remaining(of ids: Set<UniqueID>) -> Remaining {
    operations.withLock { operations in
      let generation = state.withLock { $0.generation }
      operations.forgetVoidClaims(generation: generation)
      operations.places = operations.places.filter { ids.contains($0.key) }
      var search = state.withLock { $0.search(for: ids, operations.places, operations.claims.values.joined()) }
      operations.places = search.found
      for (name, wanted) in search.moved {
        let isRead = find(wanted, in: name, generation, operations.buffer, &operations.places)
        if !isRead { search.uncertain.formUnion(wanted) }
      }
      var isUncertain = false
      for name in search.names where !search.unknown.isSubset(of: operations.places.keys) {
        if !find(search.unknown, in: name, generation, operations.buffer, &operations.places) { isUncertain = true }
      }
      operations.buffer.trim(to: 64 << 10)
      let found = Set(operations.places.keys)
      let uncertain = search.uncertain.union(isUncertain ? search.unknown : [])
      return Remaining(found: found, uncertain: uncertain.subtracting(found))
    }
  }

  /// Searches the waiting records of one segment; false if it cannot be read.
  private func find(
    _ ids: Set<UniqueID>, in name: SegmentName, _ generation: UInt64, _ buffer: ScratchBuffer,
    _ places: inout [UniqueID: Place]
  ) -> Bool {
    guard let source = state.withLock({ $0.generation == generation ? $0.pin(name) : nil }) else { return true }
    defer { state.withLock { if $0.generation == generation { $0.unpin([name]) } } }
    if source.segment.waiting == 0 { return true }
    let uptime = clock.uptime
    if state.withLock({ $0.isBackingOff(name.number, at: uptime) }) { return false }
    do throws(FileError) {
      let file = try fileSystem.open(source.path, .read)
      defer { fileSystem.close(file) }
      let count = try fileSystem.read(into: buffer.reserve(source.segment.end), from: file, at: 0)
      let bytes = UnsafeRawBufferPointer(rebasing: buffer.reserve(source.segment.end)[..<count])
      let reader = SegmentReader(bytes: bytes, base: 0, salt: source.segment.header.salt)
      var walker = WaitingWalker(source.segment, reader)
      while let item = walker.peek() {
        if case .record(let header, let run) = item, ids.contains(header.id) {
          places[header.id] = Place(name: name, offset: run.lower, revision: source.segment.revision)
        }
        walker.take(item)
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

/// The events that the index knows, and the segments to search for the others.
struct Search {
  var found: [UniqueID: Place] = [:]
  /// Segments that were rewritten since the events were seen in them.
  var moved: [SegmentName: Set<UniqueID>] = [:]
  /// Never seen before.
  var unknown: Set<UniqueID> = []
  /// All segments, if some events are unknown.
  var names: [SegmentName] = []
  /// Events of segments that could not be read.
  var uncertain: Set<UniqueID> = []
}

extension LogState {
  func search(
    for ids: Set<UniqueID>, _ known: [UniqueID: Place], _ claimed: some Sequence<ClaimedRecord>
  ) -> Search {
    var search = Search()
    for (id, place) in known {
      let lane = Int(place.name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: place.name.number) else { continue }
      let segment = lanes[lane].segments[index]
      if segment.revision != place.revision {
        search.moved[place.name, default: []].insert(id)
      } else if !segment.isGone(at: place.offset) {
        search.found[id] = place
      }
    }
    search.unknown = ids.subtracting(known.keys)
    guard !search.unknown.isEmpty else { return search }
    for record in claimed where search.unknown.contains(record.id) {
      let lane = Int(record.name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: record.name.number) else { continue }
      let revision = lanes[lane].segments[index].revision
      search.found[record.id] = Place(name: record.name, offset: record.run.lower, revision: revision)
    }
    search.unknown.subtract(search.found.keys)
    search.names = lanes.flatMap { lane in lane.segments.indices.map { lane.segments[$0].name } }
    return search
  }
}
