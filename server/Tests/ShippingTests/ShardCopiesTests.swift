import Testing
import Warehouse

@testable import Shipping

@Suite struct ShardCopiesTests {
  private static let noted = RetiredUnit(
    home: 1, epoch: 2, shard: "a", number: 5, generation: 3, ids: 11...20, rows: 10, checksum: 77)

  private static func copy(_ generation: Int, rows: Int = 10, number: Int64 = 5, ids: ClosedRange<Int64> = 11...20)
    -> ShippingUnit
  {
    ShippingUnit(
      epoch: 2, number: number, generation: generation, segment: 0, ids: ids,
      content: UnitContent(rows: rows, checksum: UInt64(rows)))
  }

  private static func newest(_ copies: [ShippingUnit], isComplete: Bool = true) -> (unit: ShippingUnit, isClean: Bool)?
  {
    ShardCopies(copies, isComplete: isComplete).newest(of: noted)
  }

  @Test func `the newest generation counts, as the replica with most rows has it`() throws {
    let newest = try #require(
      Self.newest([Self.copy(3), Self.copy(5, rows: 6, ids: 12...18), Self.copy(4, rows: 9), Self.copy(5, rows: 7)]))
    #expect(newest.unit.generation == 5 && newest.unit.content.rows == 7 && !newest.isClean)
    #expect(newest.unit.ids == 11...20 && newest.unit.id == ShippingUnit.ID(epoch: 2, number: 5))
    #expect(Self.newest([Self.copy(5)])?.isClean == true)
  }

  @Test func `what left counts as it was noted, whatever a replica has lost of it`() throws {
    for copies in [[Self.copy(3)], [Self.copy(3, rows: 4)], [Self.copy(2), Self.copy(3)]] {
      let newest = try #require(Self.newest(copies))
      #expect(newest.unit == ShippingUnit(Self.noted))
      #expect(newest.isClean == copies.allSatisfy { $0.generation == 3 })
    }
    // A cluster that was set back has only this one, which must not be deleted.
    #expect(Self.newest([Self.copy(2)]) == nil)
  }

  @Test func `a unit without rows was deleted only if all replicas say so, and have others of its epoch`() throws {
    let other = Self.copy(0, number: 6, ids: 21...30)
    let gone = try #require(Self.newest([other]))
    #expect(gone.unit.content == .empty && gone.unit.generation == 3 && gone.isClean)
    #expect(Self.newest([other], isComplete: false) == nil)
    #expect(Self.newest([]) == nil, "the whole cluster was lost")
    // A number that was used again for later rows.
    #expect(Self.newest([other, Self.copy(4, ids: 31...40)])?.unit.content == .empty)
  }
}
