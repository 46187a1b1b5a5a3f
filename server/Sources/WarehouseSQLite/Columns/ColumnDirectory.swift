package import Columns
import RowFiles
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files of ended chunks.
///
/// They are made from the rows and can be made again at any time, so nothing waits until their names are on disk. But what has a
/// name is whole, also after a power loss, so that a file that isn't is damaged. The names of those of rows that leave home are on
/// disk before, because making them again takes the cluster.
package struct ColumnDirectory: Sendable {
  package static let suffix = ".columns"

  package let path: String
  /// True if this process may create and delete files.
  package let isWritable: Bool

  package init(path: String, isWritable: Bool) { (self.path, self.isWritable) = (path, isWritable) }

  package func name(_ header: ChunkHeader) -> String { "\(header.app)-\(header.after)-\(header.last)\(Self.suffix)" }

  private func path(_ header: ChunkHeader) -> String { "\(path)/\(name(header))" }

  /// Returns the valid chunks of each app in order, up to the first that is missing or damaged. Deletes the others.
  ///
  /// - Parameter isDamaged: Receives the name of each file that is not a valid chunk.
  package func load(isDamaged: (String) -> Void = { _ in }) throws -> [Int64: [Chunk]] {
    if isWritable { try StoredFile.createDirectory(path) }
    guard access(path, F_OK) == 0 else { return [:] }
    var chunks: [Int64: [Chunk]] = [:]
    for name in try names() {
      let file = "\(path)/\(name)"
      guard let chunk = ChunkMemory(path: file).flatMap({ Chunk($0) }), self.path(chunk.header) == file else {
        // Another process may be writing it.
        if name.hasSuffix(Self.suffix) { isDamaged(name) }
        delete(file)
        continue
      }
      chunks[chunk.header.app, default: []].append(chunk)
    }
    return chunks.mapValues { chunks in
      var kept: [Chunk] = []
      for chunk in chunks.sorted(by: { $0.header.after < $1.header.after }) {
        let after = kept.last?.header.last ?? 0
        if chunk.header.after == after, chunk.header.last > after { kept.append(chunk) } else { delete(chunk) }
      }
      return kept
    }
  }

  /// Reads a file without mapping it. Returns whether it is a valid chunk, and its number of bytes.
  package func check(_ name: String) -> (isWhole: Bool, bytes: Int) {
    guard let memory = ChunkMemory(readingFrom: "\(path)/\(name)") else { return (false, 0) }
    let isWhole = Chunk(memory).map { self.name($0.header) == name } ?? false
    return (isWhole, memory.bytes.count)
  }

  /// Deletes the file with a name.
  func delete(named name: String) { delete("\(path)/\(name)") }

  /// Writes a chunk and returns it as mapped from its file; the chunk itself if that can't be written.
  package func store(_ chunk: Chunk) -> Chunk {
    guard isWritable else { return chunk }
    return (try? write(chunk)) ?? chunk
  }

  /// Writes a chunk if its file is missing.
  func secure(_ chunk: Chunk) throws {
    if !StoredFile.exists(path(chunk.header)) { _ = try write(chunk) }
  }

  /// Makes the names of files survive a power failure.
  func sync() throws { try StoredFile.sync(directory: path) }

  /// Writes a chunk, and returns it as mapped from its file.
  func write(_ chunk: Chunk) throws -> Chunk {
    let file = path(chunk.header)
    let temporary = file + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoredFile.failure(temporary) }
    defer { close(descriptor) }
    do {
      try StoredFile.write(chunk.bytes, to: descriptor, at: 0, temporary)
      guard fsync(descriptor) == 0, rename(temporary, file) == 0 else { throw StoredFile.failure(file) }
    } catch {
      unlink(temporary)
      throw error
    }
    return ChunkMemory(path: file).flatMap { Chunk($0) } ?? chunk
  }

  func delete(_ chunk: Chunk) { delete(path(chunk.header)) }

  package func deleteAll() throws { try deleteAll { _ in true } }

  /// Deletes the chunks of an app. They may have rows that are gone, so they don't come back after a power failure.
  func deleteAll(of app: Int64) throws { try deleteAll { $0.hasPrefix("\(app)-") } }

  private func deleteAll(where isMeant: (String) -> Bool) throws {
    guard isWritable, access(path, F_OK) == 0 else { return }
    try StoredFile.delete(try names().filter(isMeant), in: path)
  }

  private func names() throws -> [String] {
    try StoredFile.names(in: path, endingWith: [Self.suffix, Self.suffix + ".new"])
  }

  private func delete(_ file: String) { if isWritable { unlink(file) } }
}
