import NIOCore
import ServerBase
import TernEvents
import Testing

@testable import HTTP

/// Tests which connection is closed when there are too many.
@Suite struct ConnectionTableTests {
  @Test func `the oldest idle connection is closed first, then the oldest with an arriving body`() {
    var table = ConnectionTable<Int>(maximum: 4, maximumPerClient: 4)
    for id in 0..<4 { #expect(table.opened(id, client: "a", at: .seconds(id)) == nil) }
    #expect(table.changed(0, to: .receiving, at: .seconds(10)) == nil)
    #expect(table.changed(1, to: .withoutRequest, at: .seconds(12)) == nil)
    #expect(table.changed(2, to: .receiving, at: .seconds(9)) == nil)
    #expect(table.opened(4, client: "b", at: .seconds(20)) == 3, "it never sent a head")
    _ = table.changed(4, to: .answering, at: .seconds(21))
    #expect(table.opened(5, client: "b", at: .seconds(22)) == 1)
    _ = table.changed(5, to: .answering, at: .seconds(23))
    #expect(table.opened(6, client: "b", at: .seconds(24)) == 2)
    _ = table.changed(6, to: .answering, at: .seconds(25))
    #expect(table.opened(7, client: "b", at: .seconds(26)) == 0)
    #expect(table.count == 4)
  }

  @Test func `connections being answered stay, and surplus ones close as soon as possible`() {
    var table = ConnectionTable<Int>(maximum: 2, maximumPerClient: 2)
    for id in 0..<2 {
      _ = table.opened(id, client: "a", at: .zero)
      _ = table.changed(id, to: .answering, at: .zero)
    }
    #expect(table.opened(2, client: "b", at: .seconds(1)) == nil)
    #expect(table.count == 3)
    #expect(table.changed(2, to: .answering, at: .seconds(2)) == nil)
    #expect(table.changed(0, to: .withoutRequest, at: .seconds(3)) == 0)
    #expect(table.count == 2)
    table.closed(0)
    #expect(table.count == 2, "a closed connection is gone")
    #expect(table.changed(0, to: .withoutRequest, at: .seconds(3)) == nil)
  }

  @Test func `an address over its share loses only its own connections`() {
    var table = ConnectionTable<Int>(maximum: 10, maximumPerClient: 3)
    _ = table.opened(100, client: "b", at: .zero)
    for id in 0..<20 { #expect(table.opened(id, client: "a", at: .seconds(id)) == (id < 3 ? nil : id - 3)) }
    #expect(table.count == 4)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `only connections being answered exceed the limit`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    var table = ConnectionTable<Int>(maximum: 10, maximumPerClient: 6)
    var phases: [Int: ConnectionPhase] = [:]
    for step in 0..<3_000 {
      let now = Duration.milliseconds(step)
      var victim: Int?
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        phases[step] = .withoutRequest
        victim = table.opened(step, client: ["a", "b", "c"].randomElement(using: &generator) ?? "", at: now)
      case 2:
        guard let id = phases.keys.sorted().randomElement(using: &generator) else { continue }
        let phase = [ConnectionPhase.withoutRequest, .receiving, .answering].randomElement(using: &generator)
        phases[id] = phase
        victim = table.changed(id, to: phase ?? .withoutRequest, at: now)
      default:
        guard let id = phases.keys.sorted().randomElement(using: &generator) else { continue }
        phases[id] = nil
        table.closed(id)
      }
      if let victim {
        #expect(phases[victim] != nil && phases[victim] != .answering)
        phases[victim] = nil
      }
      #expect(table.count == phases.count)
      #expect(table.count <= max(10, phases.values.filter { $0 == .answering }.count + 1))
    }
  }

  @Test func `clients are identified by address, those of IPv6 by its first half`() throws {
    func share(_ address: String) throws -> String {
      try #require(IPAddress(SocketAddress(ipAddress: address, port: 1))).share
    }
    #expect(try share("192.0.2.1") != share("192.0.2.2"))
    #expect(try share("2001:db8:1:2::1") == share("2001:db8:1:2:ffff::9"))
    #expect(try share("2001:db8:1:2::1") != share("2001:db8:1:3::1"))
    #expect(try share("::ffff:192.0.2.1") == share("192.0.2.1"))
    #expect(try share("::ffff:192.0.2.1") != share("::ffff:192.0.2.2"))
    #expect(try IPAddress(SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
  }

  @Test func `connections without a share are limited only by the total`() {
    var table = ConnectionTable<Int>(maximum: 6, maximumPerClient: 2)
    for id in 0..<5 { #expect(table.opened(id, client: nil, at: .seconds(id)) == nil) }
    #expect(table.opened(10, client: "a", at: .seconds(10)) == nil)
    #expect(table.opened(11, client: nil, at: .seconds(11)) == 0, "the oldest of all")
    #expect(table.opened(12, client: "a", at: .seconds(12)) == 1)
    #expect(table.opened(13, client: "a", at: .seconds(13)) == 10, "a client's own")
    #expect(table.changed(2, to: .receiving, at: .seconds(14)) == nil)
    table.closed(2)
    #expect(table.count == 5)
  }
}
