/// Memory that the metrics of all queries use in turn while a chunk is added.
final class CellScratch {
  /// A combination seen in the chunk, so that most rows need no look-up in a table of all.
  struct Recent: BitwiseCopyable {
    var first: Int32 = -1
    var second: Int32 = -1
    var number: Int32 = 0
  }

  static let recentMask: Int32 = 1_023

  private(set) lazy var recent = Memory<Recent>(count: Int(Self.recentMask) + 1, zero: Recent())
  /// The cell of each selected row of the chunk, by position.
  private(set) lazy var cells = Memory<Int32>(count: Chunk.maximumRows, zero: 0)
  /// The number of each index of a column.
  private(set) lazy var known = Memory<Int32>(count: Chunk.maximumRows, zero: 0)
  /// The cell of each row of the chunk.
  private(set) lazy var cellOfRow = Memory<Int32>(count: Chunk.maximumRows, zero: -1)
  /// The rows of each index of a column by kind.
  private(set) lazy var tallies = Memory<UInt32>(
    count: CellMetrics.maximumTallies * CellMetrics.tallyWidth, zero: 0)
}
