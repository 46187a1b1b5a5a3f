import ClickHouse
import Testing

@testable import Shipping

@Suite struct ClusterSchemaTests {
  private static let home = ShippingManifest.Home(id: .max, epoch: 7)
  private static let unit = ShippingUnit(
    epoch: 6, number: 5, generation: 2, segment: 3, ids: 10...19, content: UnitContent(rows: 10, checksum: 1))

  @Test func `statements name rows by numbers alone`() {
    #expect(
      ClusterSchema.content(of: Self.unit, of: Self.home)
        == """
        SELECT count() AS rows, sum(hash) AS checksum FROM tern_row WHERE home = 18446744073709551615 AND epoch = 6 \
        AND id BETWEEN 10 AND 19 AND unit = 5 AND generation = 2
        """)
    #expect(
      ClusterSchema.clearing([Self.unit], of: Self.home)
        == """
        ALTER TABLE tern_row DELETE WHERE home = 18446744073709551615 \
        AND ((id BETWEEN 10 AND 19 AND epoch = 6 AND unit = 5 AND generation < 2))
        """)
    let kept = Set([(6, 3), (6, 1), (6, 2), (6, 9), (4, 8)].map { ShippingUnit.ID(epoch: $0, number: $1) })
    #expect(
      ClusterSchema.abandoned(of: Self.home, except: kept)
        == """
        SELECT count() AS rows FROM tern_row WHERE home = 18446744073709551615 AND epoch != 7 \
        AND NOT (epoch = 4 AND (unit BETWEEN 8 AND 8)) \
        AND NOT (epoch = 6 AND (unit BETWEEN 1 AND 3 OR unit BETWEEN 9 AND 9))
        """)
  }

  @Test func `only servers with macros get replicated tables`() {
    #expect(
      ClusterSchema(isReplicated: true).statements()[0].contains("ReplicatedMergeTree('/clickhouse/tables/{shard}"))
    #expect(!ClusterSchema(isReplicated: false).statements().contains { $0.contains("Replicated") })
  }
}
