import Questions

/// Rows of persons or sessions, collected by one part of the chunks, and divided by owner into partitions.
///
/// If the rows of all partitions don't fit into the memory, those of the first ones are collected, and the chunks are read again for
/// the others.
final class PersonRows {
  /// The number of partitions: a power of two.
  static let partitionCount = 256
  static let allPartitions = 0..<partitionCount
  private static let partitionBits: UInt32 = 8

  /// The partitions whose rows are collected.
  @exclusivity(unchecked) private(set) var partitions: Range<Int>
  private let packed: UnsafeMutablePointer<PackedRows>
  private let width: UInt32

  /// - Parameter width: The number of the lowest bits of a row that may be set.
  init(_ partitions: Range<Int>, width: Int) {
    self.partitions = partitions
    self.width = UInt32(width)
    packed = .allocate(capacity: Self.partitionCount)
    packed.initialize(repeating: PackedRows(), count: Self.partitionCount)
  }

  deinit {
    for partition in Self.allPartitions { packed[partition].removeAll() }
    packed.deinitialize(count: Self.partitionCount)
    packed.deallocate()
  }

  /// Returns true if the rows of an owner are collected.
  @inline(__always)
  func collects(_ owner: UInt32) -> Bool { partitions.contains(Self.partition(of: owner)) }

  /// Adds a row, if those of its owner are collected.
  @inline(__always)
  func append(_ row: PersonRow, of owner: UInt32) {
    let partition = Self.partition(of: owner)
    guard partitions.contains(partition) else { return }
    packed[partition].append(row, of: owner >> Self.partitionBits, width: width)
  }

  /// Collects fewer partitions if their rows take too much memory; throws if those of one do.
  func shrink(to bytes: Int) throws {
    var size = partitions.reduce(0) { $0 + packed[$1].byteCount }
    while size > bytes {
      guard partitions.count > 1 else { throw QuestionError.tooLarge }
      let last = partitions.upperBound - 1
      size -= packed[last].byteCount
      packed[last].removeAll()
      partitions = partitions.lowerBound..<last
    }
  }

  /// The number of a partition's rows.
  func count(_ partition: Int) -> Int { packed[partition].count }

  /// Calls `body` with the rows of a partition, and the number of each row's owner among the partition's.
  @inline(__always)
  func forEach(in partition: Int, _ body: (_ index: Int, PersonRow) -> Void) {
    packed[partition].forEach(width: width) { body(Int($0), $1) }
  }

  /// Forgets the rows of a partition. Others may be used at the same time.
  func remove(_ partition: Int) { packed[partition].removeAll() }

  @inline(__always)
  private static func partition(of owner: UInt32) -> Int { Int(owner) & (partitionCount - 1) }

  /// Returns the number of owners of a partition, of so many in all.
  static func owners(in partition: Int, of count: Int) -> Int {
    (count - partition + partitionCount - 1) >> Int(partitionBits)
  }

  /// Returns the owner with a number among those of a partition.
  static func owner(_ index: Int, in partition: Int) -> UInt32 { UInt32(index << Int(partitionBits) | partition) }
}
