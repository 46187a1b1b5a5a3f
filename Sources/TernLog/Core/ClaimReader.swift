import TernEvents

/// Reads the records of a claim, outside the lock, so that appending never waits for a read.
struct ClaimReader {
  let fileSystem: any FileSystem
  let buffer: ScratchBuffer
  let expiry: ExpiryRule
  /// Incomplete erasures: their records are not handed out.
  let erasures: [Erasure]
  var remainingEvents: Int
  var remainingBytes: Int
  private(set) var isFull = false
  private var isEmpty = true

  init(
    _ fileSystem: any FileSystem, _ buffer: ScratchBuffer, events: Int, bytes: Int, _ expiry: ExpiryRule,
    _ erasures: [Erasure]
  ) {
    self.fileSystem = fileSystem
    self.buffer = buffer
    self.expiry = expiry
    self.erasures = erasures
    remainingEvents = events
    remainingBytes = bytes
  }

  /// Reads records of one segment until the claim is full.
  mutating func read(_ source: ClaimSource) -> ClaimFinding {
    let segment = source.segment
    var finding = ClaimFinding(name: segment.name, header: segment.header, path: source.path)
    guard let start = segment.firstWaiting?.offset else { return finding }
    let memory = buffer.reserve(segment.end - start)
    do throws(FileError) {
      let file = try fileSystem.open(source.path, .read)
      defer { fileSystem.close(file) }
      let count = try fileSystem.read(into: memory, from: file, at: start)
      // If the file was truncated, the walk below counts the missing records as damaged.
      let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count])
      take(segment, SegmentReader(bytes: bytes, base: start, salt: segment.header.salt), &finding)
    } catch {
      finding.isMissing = error.isMissing
      if !error.isMissing { finding.failure = error }
    }
    return finding
  }

  private mutating func take(_ segment: Segment, _ reader: SegmentReader, _ finding: inout ClaimFinding) {
    var walker = WaitingWalker(segment, reader)
    while let item = walker.peek() {
      switch item {
      case .damaged(let run):
        finding.gone.append((run, .damaged))
      case .record(let header, let run):
        if erasures.contains(where: { $0.concerns(header, in: segment.name) }) {
          finding.gone.append((run, .erased))
          break
        }
        if expiry.isExpired(header, segment.header.bootID) {
          finding.gone.append((run, .expired))
          break
        }
        guard fits(header) else {
          isFull = true
          finding.nextTime = header.time
          return
        }
        guard let payload = reader.payload(of: header, at: run.lower) else {
          finding.gone.append((run, .damaged))
          break
        }
        add(header, run, payload, segment, &finding)
      }
      walker.take(item)
    }
  }

  /// The first record always fits; otherwise one that is larger than a batch would block the log for ever.
  private func fits(_ header: RecordHeader) -> Bool {
    isEmpty || remainingEvents > 0 && header.payloadBytes <= remainingBytes
  }

  private mutating func add(
    _ header: RecordHeader, _ run: Run, _ payload: [UInt8], _ segment: Segment, _ finding: inout ClaimFinding
  ) {
    isEmpty = false
    remainingEvents -= 1
    remainingBytes -= header.payloadBytes
    finding.claimed.append(ClaimedRecord(name: segment.name, run: run, id: header.id, epoch: header.epoch))
    finding.records.append(
      LogRecord(
        id: header.id, time: header.time, uptime: .milliseconds(Int64(clamping: header.uptimeMilliseconds)),
        bootID: segment.header.bootID, epoch: header.epoch, lane: segment.name.lane, payload: payload))
  }
}
