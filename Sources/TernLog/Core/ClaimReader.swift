import TernEvents

/// Reads the records of a claim, outside the lock, so that appending never waits for a read.
struct ClaimReader {
  private let fileSystem: any FileSystem
  private let expiry: ExpiryRule
  private var remainingEvents: Int
  private var remainingBytes: Int
  private var isEmpty = true

  init(_ fileSystem: any FileSystem, _ expiry: ExpiryRule, events: Int, bytes: Int) {
    self.fileSystem = fileSystem
    self.expiry = expiry
    remainingEvents = events
    remainingBytes = bytes
  }

  /// Reads records of one segment until the claim is full.
  mutating func read(_ source: ClaimSource) -> ClaimFinding {
    let segment = source.segment
    var finding = ClaimFinding(name: segment.name)
    do throws(FileError) {
      let file: OpenFile
      if let open = source.file { file = open } else { file = try fileSystem.open(source.path, .read) }
      defer { fileSystem.close(file) }
      // If the file was truncated, the walk below counts the missing records as damaged.
      take(segment, try fileSystem.bytes(of: file, from: segment.start, to: segment.end), &finding)
    } catch {
      finding.isMissing = error.isMissing
      if !error.isMissing { finding.failure = error }
    }
    return finding
  }

  private mutating func take(_ segment: Segment, _ bytes: [UInt8], _ finding: inout ClaimFinding) {
    finding.claimed.reserveCapacity(segment.records)
    var headers: [RecordHeader] = []
    headers.reserveCapacity(segment.records)
    var end = segment.start
    bytes.withUnsafeBytes { buffer in
      let reader = SegmentReader(bytes: buffer, base: segment.start, salt: segment.header.salt)
      var walker = SegmentWalker(segment, reader)
      while let item = walker.peek() {
        switch item {
        case .void: break
        case .damaged(let run, _): finding.gone.append((run, .damaged))
        case .record(let header, let run):
          if expiry.isExpired(header, segment.header.bootID) {
            finding.gone.append((run, .expired))
            break
          }
          guard fits(header) else { return }
          guard reader.isIntact(header, at: run.lower) else {
            finding.gone.append((run, .damaged))
            break
          }
          isEmpty = false
          remainingEvents -= 1
          remainingBytes -= header.recordBytes
          end = run.upper
          headers.append(header)
          finding.claimed.append(ClaimedRecord(id: header.id, run: run))
        }
        walker.take(item)
      }
      finding.isComplete = true
    }
    // A part of a segment must not keep the memory of all of it.
    let kept = end - segment.start < bytes.count / 2 ? Array(bytes[..<(end - segment.start)]) : bytes
    finding.records = zip(headers, finding.claimed).map { header, record in
      let payload = record.run.lower + RecordHeader.size - segment.start..<record.run.upper - segment.start
      return LogRecord(
        id: header.id, time: header.time, uptime: .milliseconds(Int64(clamping: header.uptimeMilliseconds)),
        bootID: segment.header.bootID, lane: segment.name.lane, context: segment.header.context, payload: kept[payload])
    }
  }

  /// The first record always fits; otherwise one that is larger than a batch would block the log forever.
  private func fits(_ header: RecordHeader) -> Bool {
    isEmpty || remainingEvents > 0 && header.recordBytes <= remainingBytes
  }
}

extension FileSystem {
  /// Reads a part of a file; fewer bytes if it is shorter.
  func bytes(of file: OpenFile, from start: Int, to end: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(end - start, 0)) { buffer, count in
      do throws(FileError) {
        count = try read(into: UnsafeMutableRawBufferPointer(buffer), from: file, at: start)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
