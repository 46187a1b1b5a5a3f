import Ingest
import RowFiles
import ServerBase
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The rows of a unit that were fetched from the cluster, in a file of blocks as segments have them. Each block has rows of
/// one span.
///
/// Once open, it stays readable although its file is deleted.
final class FetchedUnit: Sendable {
  private struct Block {
    var ids: ClosedRange<Int64>
    var bytes: Range<Int>
  }

  let byteCount: Int
  private let path: String
  private let descriptor: Int32
  private let blocks: [Block]

  /// Opens a file; `nil` if it is missing, or isn't the unit as a whole.
  init?(_ unit: RetiredUnit, path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    let file = RowBytes()
    var (blocks, position, rows): ([Block], Int, Int) = ([], 0, 0)
    do {
      try Self.read(descriptor, 0..<size, into: file, path)
    } catch {
      close(descriptor)
      throw error
    }
    var next = unit.ids.lowerBound
    while next <= unit.ids.upperBound,
      let block = RowSegment.block(in: file.bytes, at: position, rows: next...unit.ids.upperBound)
    {
      let end = position + RowSegment.blockHeaderSize + Int(block.header.byteCount)
      blocks.append(Block(ids: block.header.firstID...block.header.lastID, bytes: position..<end))
      rows += Int(block.header.rows)
      next = block.header.lastID + 1
      position = end
    }
    guard position == size, rows == unit.rows else {
      close(descriptor)
      return nil
    }
    (self.path, self.descriptor, self.blocks, byteCount) = (path, descriptor, blocks, size)
  }

  deinit { close(descriptor) }

  /// Appends the blocks with rows in a range.
  func read(_ ids: ClosedRange<Int64>, into bytes: RowBytes) throws {
    let wanted = blocks.filter { $0.ids.overlaps(ids) }
    guard let first = wanted.first, let last = wanted.last else { return }
    try Self.read(descriptor, first.bytes.lowerBound..<last.bytes.upperBound, into: bytes, path)
  }

  private static func read(_ descriptor: Int32, _ range: Range<Int>, into bytes: RowBytes, _ path: String) throws {
    bytes.reserve(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      let count = pread(descriptor, bytes.free.baseAddress, range.upperBound - position, off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoredFile.readFailure(path) }
      bytes.didFill(count)
      position += count
    }
  }

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - starts: The first IDs of the spans that begin within the unit, ascending.
  ///   - rows: Calls its argument with each row, in the order of their IDs.
  static func write(
    _ unit: RetiredUnit, to path: String, spans starts: [Int64], rows: ((StoredRow) throws -> Void) throws -> Void
  ) throws {
    // Two processes may fetch the same unit.
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    do {
      let file = try CopiedFile(creating: temporary)
      var (block, first, last) = (RowBlockWriter(), Int64(0), unit.ids.lowerBound - 1)
      var later = starts[...]
      func endBlock() throws {
        guard block.rows > 0 else { return }
        let header = RowSegment.BlockHeader(block.bytes.bytes, rows: block.rows, firstID: first)
        try withUnsafeBytes(of: header) { try file.append($0) }
        try file.append(block.bytes.bytes)
        block.removeAll()
      }
      try rows { stored in
        let encoded = try EncodedRow(stored)
        let id = encoded.row.id
        guard id > last, id <= unit.ids.upperBound else {
          throw WarehouseError(.rowsAway, "Row \(id) that was fetched is not of unit \(unit.number).")
        }
        var beginsSpan = false
        while let start = later.first, start <= id { beginsSpan = later.popFirst() != nil }
        // A block has no gaps.
        if beginsSpan || id != last + 1 || block.bytes.count >= maximumBlockBytes { try endBlock() }
        if block.rows == 0 { first = id }
        encoded.append(to: &block)
        last = id
      }
      try endBlock()
      try CopiedFile.rename(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static let maximumBlockBytes = 1 << 20
}
