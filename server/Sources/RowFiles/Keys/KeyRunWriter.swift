import Ingest
import ServerBase
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes the file of a run. Keys come in ascending order; the file appears under its name only when it is complete.
package final class KeyRunWriter {
  private static let bufferedKeys = 1 << 15
  private let directory: String
  private let temporaryPath: String
  private let descriptor: Int32
  private var header: KeyRun.Header
  private let filter: KeyFilter
  private var fences: [Int64] = []
  private let buffer: UnsafeMutableBufferPointer<DuplicateKey>
  private var buffered = 0
  private var position = KeyRun.pageSize
  private var hash = KeyRun.BodyHash()
  private var isComplete = false

  init(directory: String, _ header: KeyRun.Header, count: Int) throws {
    self.directory = directory
    self.header = header
    self.header.count = count
    self.header.filterBlocks = KeyFilter.blocks(for: count)
    temporaryPath = KeyRun.path(in: directory, header) + KeyRunDirectory.temporarySuffix
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoredFile.failure(temporaryPath) }
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: self.header.filterBlocks * 8)
    words.initialize(repeating: 0, count: self.header.filterBlocks * 8)
    filter = KeyFilter(words: words, blocks: UInt64(self.header.filterBlocks))
    buffer = .allocate(capacity: Self.bufferedKeys)
  }

  deinit {
    filter.words.deallocate()
    buffer.deallocate()
    close(descriptor)
    if !isComplete { unlink(temporaryPath) }
  }

  @inline(__always)
  func append(_ key: DuplicateKey) throws {
    buffer.initializeElement(at: buffered, to: key)
    buffered += 1
    if buffered == Self.bufferedKeys { try writeBuffer() }
  }

  private func writeBuffer() throws {
    for index in stride(from: 0, to: buffered, by: KeyRun.keysPerPage) { fences.append(buffer[index].milliseconds) }
    for index in 0..<buffered { filter.insert(buffer[index].mixedHash) }
    try writeBody(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<(buffered * 16)]))
    buffered = 0
  }

  /// Completes the file and returns the run.
  func finish() throws -> KeyRun {
    try writeBuffer()
    try fences.withUnsafeBytes { try writeBody($0) }
    try writeBody(UnsafeRawBufferPointer(start: filter.words, count: header.filterBlocks * 64))
    header.body = hash.value
    header.check = header.expectedCheck
    try withUnsafeBytes(of: header) { try write($0, at: 0) }
    let path = KeyRun.path(in: directory, header)
    guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else { throw StoredFile.failure(path) }
    isComplete = true
    try StoredFile.sync(directory: directory)
    return try KeyRun(path: path)
  }

  private func writeBody(_ bytes: UnsafeRawBufferPointer) throws {
    try write(bytes, at: position)
    position += bytes.count
    hash.add(bytes)
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws {
    try StoredFile.write(bytes, to: descriptor, at: position, temporaryPath)
  }
}

extension KeyRunWriter {
  /// Writes the keys of the rows up to `through` as a run.
  package static func write(_ keys: PendingKeys, directory: String, _ header: KeyRun.Header) throws -> KeyRun {
    let sorted = keys.sorted()
    let writer = try KeyRunWriter(directory: directory, header, count: sorted.count)
    for index in 0..<sorted.count { try writer.append(sorted[index]) }
    return try writer.finish()
  }

  /// Merges runs of neighbouring rows into one.
  static func merge(_ runs: [KeyRun], directory: String) throws -> KeyRun? {
    guard let first = runs.first, let last = runs.last else { return nil }
    // Otherwise damaged keys would get a valid hash.
    for run in runs { try run.checkBody() }
    let received = runs.reduce(Int64.min) { max($0, $1.header.received) }
    let header = KeyRun.Header(after: first.header.after, through: last.header.through, received: received)
    let writer = try KeyRunWriter(
      directory: directory, header, count: runs.reduce(0) { $0 + $1.header.count })
    var rests = runs.map { (reader: $0.reader, position: 0) }.filter { $0.reader.count > 0 }
    while !rests.isEmpty {
      var least = 0
      for index in rests.indices.dropFirst()
      where rests[index].reader.keys[rests[index].position] < rests[least].reader.keys[rests[least].position] {
        least = index
      }
      try writer.append(rests[least].reader.keys[rests[least].position])
      rests[least].position += 1
      if rests[least].position == rests[least].reader.count { rests.remove(at: least) }
    }
    // A run that has lost keys meanwhile must not get a valid hash.
    if let run = runs.first(where: \.isIncomplete) { throw KeyRun.damage(run.path) }
    return try writer.finish()
  }
}
