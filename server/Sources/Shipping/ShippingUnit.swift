/// Consecutive rows of one segment, which go to a shard in one insert.
///
/// Rows never change within a segment. Deleting or changing rows rewrites their segment under another number, and the unit is
/// sent again as its next generation.
package struct ShippingUnit: Sendable, Hashable {
  /// The name of a unit within its home.
  package struct ID: Sendable, Hashable {
    package let epoch: UInt64
    package let number: Int64

    package init(epoch: UInt64, number: Int64) { (self.epoch, self.number) = (epoch, number) }
  }

  /// The epoch in which the unit was made. The unit keeps it when a later manifest takes it over.
  package let epoch: UInt64
  /// The number of the unit in its epoch. Numbers rise, and none is used again.
  package let number: Int64
  /// The number of the copy that counts, from 0. Each row carries it, so that rows of an older copy that are left or
  /// arrive late can be told apart, and so that ClickHouse doesn't take a new copy for one that it has stored already.
  package var generation = 0
  /// The segment at home that had the rows when they were read.
  package var segment: Int64
  package let ids: ClosedRange<Int64>
  /// The rows that the shard must have afterwards.
  package var content: UnitContent
  /// True if an insert may have begun already, before the server was stopped.
  package let mayBeThere: Bool

  package var id: ID { ID(epoch: epoch, number: number) }

  package init(
    epoch: UInt64, number: Int64, generation: Int = 0, segment: Int64, ids: ClosedRange<Int64>, content: UnitContent,
    mayBeThere: Bool = false
  ) {
    self.epoch = epoch
    self.number = number
    self.generation = generation
    self.segment = segment
    self.ids = ids
    self.content = content
    self.mayBeThere = mayBeThere
  }

  /// The next generation, with its content.
  package func next(_ content: UnitContent, segment: Int64? = nil) -> ShippingUnit {
    var next = self
    next.generation += 1
    next.content = content
    next.segment = segment ?? self.segment
    return next
  }
}

/// The number of rows of a unit and their checksum, at home or as a shard has them.
package struct UnitContent: Sendable, Hashable {
  package static let empty = UnitContent(rows: 0, checksum: 0)

  package var rows: Int
  /// The sum of the rows' hashes, which doesn't depend on their order.
  package var checksum: UInt64

  package init(rows: Int, checksum: UInt64) { (self.rows, self.checksum) = (rows, checksum) }
}
