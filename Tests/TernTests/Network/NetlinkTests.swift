#if os(Linux)
  import TernEvents
  import Testing

  @testable import Tern

  @Suite struct `The kernel's network messages` {
    /// A table of the recorded machine: `v0` is up and has addresses.
    private func known() -> NetlinkTable {
      var table = NetlinkTable()
      #expect(table.begin() == [.request(.links)])
      #expect(NetlinkRecording.links.flatMap { table.received($0) } == [.request(.addresses)])
      #expect(NetlinkRecording.addresses.flatMap { table.received($0) } == [])
      return table
    }

    private func announcements(_ table: inout NetlinkTable, _ datagrams: [[UInt8]]) -> Int {
      datagrams.flatMap { table.received($0) }.count { $0 == .announce }
    }

    @Test func `a link going down gives no hint, and one coming up gives one hint`() {
      var table = known()
      #expect(announcements(&table, NetlinkRecording.linkDown) == 0)
      #expect(announcements(&table, NetlinkRecording.linkUp) == 1)
    }

    @Test func `a cable that is unplugged and plugged in again is a change`() {
      var table = known()
      #expect(announcements(&table, NetlinkRecording.carrierLost) == 0)
      #expect(announcements(&table, NetlinkRecording.carrierGained) == 1)
      #expect(announcements(&table, NetlinkRecording.carrierGained) == 0)
    }

    @Test func `a new route and a new address are changes, a renewed one is none`() {
      var table = known()
      #expect(announcements(&table, NetlinkRecording.defaultRouteAdded) == 1)
      #expect(announcements(&table, NetlinkRecording.addressRenewed) == 0)
      #expect(announcements(&table, NetlinkRecording.addressAdded) == 1)
      #expect(announcements(&table, NetlinkRecording.addressAdded) == 0)
    }

    @Test func `an address gives one hint, once it is no longer tentative`() {
      var table = known()
      let steps = NetlinkRecording.address6Added.map { announcements(&table, [$0]) }
      #expect(steps == [0, 0, 1, 0])
    }

    @Test func `adding a link to a bridge or removing it is not a change, and the link stays known`() {
      var table = known()
      #expect(announcements(&table, NetlinkRecording.bridged + NetlinkRecording.unbridged) == 0)
      #expect(announcements(&table, NetlinkRecording.carrierLost + NetlinkRecording.carrierGained) == 1)
    }

    @Test func `an address on a link without a carrier counts when the carrier appears`() {
      var table = known()
      #expect(announcements(&table, NetlinkRecording.linkDown) == 0)
      #expect(announcements(&table, NetlinkRecording.addressAdded) == 0)
      #expect(announcements(&table, NetlinkRecording.linkUp) == 1)
    }

    @Test func `a removed link is forgotten along with its addresses`() {
      var table = known()
      #expect(announcements(&table, NetlinkRecording.linkRemoved) == 0)
      #expect(announcements(&table, NetlinkRecording.carrierGained) == 0)
    }

    @Test func `the initial state is no change`() {
      var table = NetlinkTable()
      _ = table.begin()
      #expect(announcements(&table, NetlinkRecording.linkUp + NetlinkRecording.addressAdded) == 0)
    }

    @Test func `a machine with only a loopback interface gets no hints`() {
      var table = NetlinkTable()
      _ = table.begin()
      let loopback = NetlinkRecording.links[0].prefix(40)
      let itsAddress = NetlinkRecording.addresses[0].prefix(76)
      let done = NetlinkRecording.links[1]
      #expect(announcements(&table, [Array(loopback), done, Array(itsAddress), done]) == 0)
      #expect(announcements(&table, [Array(loopback), Array(itsAddress), Array(loopback)]) == 0)
    }

    @Test func `after lost messages the table is read again, and an existing network is one hint`() {
      var table = known()
      #expect(table.lostMessages() == [.request(.links)])
      #expect(NetlinkRecording.links.flatMap { table.received($0) } == [.request(.addresses)])
      #expect(NetlinkRecording.addresses.flatMap { table.received($0) } == [.announce])
      #expect(announcements(&table, NetlinkRecording.addressAdded) == 1)
    }

    // MARK: Hostile bytes

    private static let all: [[UInt8]] =
      NetlinkRecording.links + NetlinkRecording.addresses + NetlinkRecording.linkDown + NetlinkRecording.linkUp
      + NetlinkRecording.defaultRouteAdded + NetlinkRecording.address6Added + NetlinkRecording.linkRemoved

    @Test func `a truncated datagram reveals no more than the whole one`() {
      for datagram in Self.all {
        let whole = NetlinkMessage.messages(in: datagram)
        for end in datagram.indices {
          let part = NetlinkMessage.messages(in: Array(datagram[..<end]))
          #expect(part == Array(whole.prefix(part.count)))
        }
      }
    }

    @Test func `no length in a message causes a read outside it`() {
      // Every two bytes that could be a length are set to the values that break careless readers.
      for datagram in Self.all {
        for offset in stride(from: 0, to: datagram.count - 1, by: 2) {
          for value: UInt16 in [0, 1, 3, 4, 5, 15, 16, 17, 0x7FFF, 0x8000, 0xFFFC, 0xFFFF] {
            var bytes = datagram
            bytes[offset] = UInt8(truncatingIfNeeded: value)
            bytes[offset + 1] = UInt8(value >> 8)
            #expect(NetlinkMessage.messages(in: bytes).count <= datagram.count / 16)
          }
        }
      }
    }

    @Test(arguments: 0..<20) func `random bytes and messages neither grow the table nor break it`(seed: UInt64) {
      var generator = FastGenerator(seed: seed)
      var table = known()
      for _ in 0..<2_000 {
        var bytes = Self.all[Int.random(in: 0..<Self.all.count, using: &generator)]
        for _ in 0..<Int.random(in: 0..<8, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: .min ... .max, using: &generator)
        }
        _ = table.received(bytes)
      }
      // Whatever the table has read, a new dump repairs it.
      _ = table.lostMessages()
      for datagram in NetlinkRecording.links + NetlinkRecording.addresses { _ = table.received(datagram) }
      #expect(announcements(&table, NetlinkRecording.carrierLost + NetlinkRecording.carrierGained) == 1)
    }

    @Test func `a flood of interfaces and addresses takes a bounded amount of memory`() {
      var table = known()
      var address = NetlinkRecording.addressAdded[0]
      for number in 0..<20_000 {
        withUnsafeBytes(of: UInt32(number % 4 == 0 ? number : 7)) { address.replaceSubrange(20..<24, with: $0) }
        withUnsafeBytes(of: UInt32(number)) { address.replaceSubrange(36..<40, with: $0) }
        _ = table.received(address)
      }
      #expect(table.interfaceCount <= 4_096 && table.addressCount <= 4_096 + 256)
    }
  }
#endif
