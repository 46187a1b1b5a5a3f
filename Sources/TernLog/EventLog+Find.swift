package import TernEvents

extension EventLog {
  /// Which of these events are still in the log, waiting or claimed.
  ///
  /// Reads the headers of all segments, so it is for the few that somebody asks about, and not for the caller of
  /// `track`; appending goes on meanwhile. A segment that cannot be read is taken to hold what was not found.
  package func remaining(of ids: Set<UniqueID>) -> Set<UniqueID> {
    operations.withLock { operations in
      let (names, generation) = state.withLock { state in
        (state.lanes.flatMap { lane in lane.segments.indices.map { lane.segments[$0].name } }, state.generation)
      }
      operations.forgetVoidClaims(generation: generation)
      var found = Set(operations.claims.values.joined().lazy.map(\.id).filter(ids.contains))
      var isUncertain = false
      for name in names where found.count < ids.count {
        if !find(ids, in: name, generation, operations.buffer, &found) { isUncertain = true }
      }
      operations.buffer.trim(to: 64 << 10)
      return isUncertain ? ids : found
    }
  }

  /// Looks through what waits in one segment; false when it cannot be read.
  private func find(
    _ ids: Set<UniqueID>, in name: SegmentName, _ generation: UInt64, _ buffer: ScratchBuffer,
    _ found: inout Set<UniqueID>
  ) -> Bool {
    guard let source = state.withLock({ $0.generation == generation ? $0.pin(name) : nil }) else { return true }
    defer { state.withLock { if $0.generation == generation { $0.unpin([name]) } } }
    if source.segment.waiting == 0 { return true }
    do throws(FileError) {
      let file = try fileSystem.open(source.path, .read)
      defer { fileSystem.close(file) }
      let count = try fileSystem.read(into: buffer.reserve(source.segment.end), from: file, at: 0)
      let bytes = UnsafeRawBufferPointer(rebasing: buffer.reserve(source.segment.end)[..<count])
      let reader = SegmentReader(bytes: bytes, base: 0, salt: source.segment.header.salt)
      var walker = WaitingWalker(source.segment, reader)
      while let item = walker.peek() {
        if case .record(let header, _) = item, ids.contains(header.id) { found.insert(header.id) }
        walker.take(item)
      }
      return true
    } catch {
      return error.isMissing
    }
  }
}
