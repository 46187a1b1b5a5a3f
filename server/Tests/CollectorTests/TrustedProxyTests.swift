import HTTPTypes
import ServerBase
import Testing

@testable import HTTP
@testable import TernServer

/// Tests how clients behind proxies are identified.
@Suite(.timeLimit(.minutes(30))) struct TrustedProxyTests {
  @Test(arguments: [
    ("192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.8", "2001:db8::1", "::ffff:192.0.2.8"]),
    ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "::a00:0"]),
    ("10.1.2.3/9", ["10.0.0.0", "10.127.255.255"], ["10.128.0.0"]), ("0.0.0.0/0", ["0.0.0.0", "255.1.1.1"], ["::1"]),
    ("192.0.2.7/32", ["192.0.2.7"], ["192.0.2.6"]), ("fd00::/8", ["fd12::1"], ["fe00::1", "253.0.0.1"]),
    ("2001:db8::/33", ["2001:db8:7fff::"], ["2001:db8:8000::"]), ("::1", ["::1"], ["::2", "127.0.0.1"]),
    ("::ffff:10.0.0.0/104", ["10.9.9.9"], ["11.0.0.0"]),
  ]) func `a block is an address or a prefix of addresses`(text: String, inside: [String], outside: [String]) throws {
    let block = try #require(AddressBlock(text))
    for address in inside { #expect(block.contains(try #require(IPAddress(address))), "\(address)") }
    for address in outside { #expect(!block.contains(try #require(IPAddress(address))), "\(address)") }
  }

  @Test(arguments: [
    "", "/", "/8", "proxy.local", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0",
    "::/129", "::ffff:10.0.0.0/95", "10.0.0.0/99999999999999999999", " 10.0.0.1", "[::1]", "10.0.0.1:80",
  ]) func `any other text is not a block`(text: String) {
    #expect(AddressBlock(text) == nil)
  }

  @Test(arguments: [
    ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"), ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", [""], "10.0.0.1"),
    ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"), ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
    ("10.0.0.1", ["203.0.113.9", "198.51.100.7 "], "198.51.100.7"),
    ("10.0.0.1", ["203.0.113.9,198.51.100.7, 10.0.0.2,10.0.0.3"], "198.51.100.7"),
    ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"), ("10.0.0.1", ["203.0.113.9, unknown, 10.0.0.2"], "10.0.0.2"),
    ("10.0.0.1", ["203.0.113.9, "], "10.0.0.1"), ("10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
    ("10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"), ("10.0.0.1", ["[2001:db8::7]"], "2001:db8::7"),
    ("10.0.0.1", ["2001:db8::7"], "2001:db8::7"), ("10.0.0.1", ["[2001:db8::7"], "10.0.0.1"),
    ("::ffff:10.0.0.1", ["::ffff:198.51.100.7"], "198.51.100.7"), ("fd00::1", ["10.0.0.9, fd00::2"], "10.0.0.9"),
  ]) func `the header is read from its end, up to the first untrusted address`(
    peer: String, fields: [String], client: String
  ) throws {
    let proxies = TrustedProxies(try ["10.0.0.0/8", "fd00::/8"].map { try #require(AddressBlock($0)) })
    #expect(proxies.client(behind: try #require(IPAddress(peer)), fields) == IPAddress(client))
  }

  /// The response to a request with a wrong token for a client.
  private func wrongToken(_ port: Int, for client: String) async throws -> String {
    try await RawConnection.open(to: port) { connection in
      try await connection.send(
        "GET /api/v1/apps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n"
          + "X-Forwarded-For: 203.0.113.1, \(client)\r\nConnection: close\r\n\r\n")
      return String(try await connection.receiveToEnd().prefix(12))
    }
  }

  @Test func `wrong tokens count against the client that a trusted proxy names`() async throws {
    let fixture = try Fixture(
      CollectorSettings(
        limits: CollectorLimits(maximumFailedLogins: 2), trustedProxies: [try #require(AddressBlock("127.0.0.0/8"))]),
      uptime: { .zero })
    try await fixture.running { port in
      for expected in [401, 401, 429, 429] {
        let answer = try await wrongToken(port, for: "198.51.100.7")
        #expect(answer == "HTTP/1.1 \(expected)")
      }
      let another = try await wrongToken(port, for: "198.51.100.8")
      #expect(another == "HTTP/1.1 401")
      // A client with one IPv6 address has all addresses with that prefix.
      for (client, expected) in [("2001:db8::1", 401), ("2001:db8::2", 401), ("2001:db8::3", 429)] {
        let answer = try await wrongToken(port, for: client)
        #expect(answer == "HTTP/1.1 \(expected)")
      }
    }
  }

  @Test func `an untrusted client cannot choose against whom wrong tokens count`() async throws {
    let limits = CollectorLimits(maximumFailedLogins: 2)
    for proxies in [[], ["10.0.0.0/8"]] {
      let blocks = try proxies.map { try #require(AddressBlock($0)) }
      let fixture = try Fixture(CollectorSettings(limits: limits, trustedProxies: blocks), uptime: { .zero })
      try await fixture.running { port in
        for (number, expected) in [401, 401, 429, 429].enumerated() {
          let answer = try await wrongToken(port, for: "198.51.100.\(number)")
          #expect(answer == "HTTP/1.1 \(expected)")
        }
      }
    }
  }

  @Test func `a trusted proxy may open more connections than a client`() async throws {
    for (proxies, isKept) in [([], false), (["127.0.0.1"], true)] {
      let blocks = try proxies.map { try #require(AddressBlock($0)) }
      let limits = CollectorLimits(maximumConnections: 20, maximumConnectionsPerClient: 2)
      let fixture = try Fixture(CollectorSettings(limits: limits, trustedProxies: blocks))
      try await fixture.running { port in
        try await RawConnection.open(to: port) { first in
          try await first.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
          for _ in 0..<4 {
            try await RawConnection.open(to: port) { second in
              try await RawConnection.open(to: port) { third in
                for connection in [second, third] {
                  try await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                  _ = try await connection.receive(until: "\r\n\r\n")
                }
              }
            }
          }
          try? await first.send("\r\n")
          let answer = try await first.receive(until: "\r\n\r\n")
          #expect(answer.hasPrefix("HTTP/1.1 200") == isKept)
        }
      }
    }
  }
}
