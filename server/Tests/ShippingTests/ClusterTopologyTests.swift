import ClickHouse
import Testing

@testable import Shipping

@Suite struct ClusterTopologyTests {
  private typealias Place = ClusterTopology.Place

  private func place(_ host: String, _ shard: String?, _ replica: String?) throws -> Place {
    Place(try ClickHouseServer("http://\(host)"), shard: shard, replica: replica)
  }

  @Test func `replicas are grouped by their shard, in any order`() throws {
    let places = try [
      place("d", "02", "r2"), place("a", "01", "r1"), place("c", "02", "r1"), place("b", "01", "r2"),
    ]
    let topology = try ClusterTopology(places)
    #expect(topology.isReplicated && topology.shards.map(\.name) == ["01", "02"])
    #expect(topology.shards.map { $0.replicas.map(\.url) } == [["http://a", "http://b"], ["http://c", "http://d"]])
    #expect(try ClusterTopology(places.reversed()) == topology)
  }

  @Test func `servers without macros are shards of their own`() throws {
    let topology = try ClusterTopology([place("b", nil, nil), place("a", nil, nil)])
    #expect(!topology.isReplicated && topology.shards.map(\.name) == ["http://a", "http://b"])
    #expect(topology.shards.allSatisfy { $0.replicas.count == 1 })
  }

  @Test func `a mixture, a server named twice and no server are refused`() throws {
    for places in try [
      [], [place("a", "1", "r"), place("b", nil, nil)], [place("a", nil, nil), place("b", "1", "r")],
      [place("a", "1", "r"), place("b", "1", "r")], [place("a", nil, nil), place("a", nil, nil)],
      [place("a", "1", "r"), place("b", "1", nil)],
    ] {
      #expect(throws: ClickHouseError.self, "\(places)") { try ClusterTopology(places) }
    }
  }
}
