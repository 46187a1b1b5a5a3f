import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `When the network comes back` {
  private let network = ScriptedReachability()

  private func world(_ transport: ScriptedTransport = ScriptedTransport()) throws -> TestHarness {
    try TestHarness(transport: transport, reachability: network)
  }

  /// Lets a hint become due.
  private func settle(_ clock: TestClock) async {
    await clock.sleeping(until: clock.uptime + .milliseconds(100))
    clock.advance(by: .milliseconds(100))
  }

  @Test func `a client that failed tries at once, however long its pause is`() async throws {
    let harness = try world(ScriptedTransport { _ in .failure(.connection) })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    for _ in 0..<15 { #expect(await tern.flush().error?.code == .connection) }
    await harness.clock.sleeping()
    harness.transport.answer { _ in .accept }
    network.change()
    await settle(harness.clock)
    await tern.waitForStatus { $0.delivered == 1 }
    await tern.shutdown()
  }

  @Test func `a request that hangs is called back and sent again`() async throws {
    let harness = try world(ScriptedTransport(answers: [.hold]))
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A", priority: .critical)
    await harness.transport.request(number: 1)
    harness.clock.advance(by: .seconds(2))
    network.change()
    await settle(harness.clock)
    await tern.waitForStatus { $0.delivered == 1 }
    #expect(harness.transport.requests.count == 2)
    await tern.shutdown()
  }

  @Test func `a request that has only begun is left alone`() async throws {
    let harness = try world(ScriptedTransport(answers: [.hold]))
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A", priority: .critical)
    await harness.transport.request(number: 1)
    network.change()
    await settle(harness.clock)
    // A second one proves that the hint was taken in.
    tern.track("B", priority: .critical)
    await harness.transport.request(number: 2)
    harness.transport.release()
    await tern.waitForStatus { $0.delivered == 2 }
    #expect(harness.transport.requests.count == 2)
    await tern.shutdown()
  }

  @Test func `nothing is sent when nothing waits`() async throws {
    let harness = try world()
    let tern = try harness.client { $0.sessions = .manual }
    network.change()
    await settle(harness.clock)
    #expect(await tern.flush() == .nothingToSend)
    #expect(harness.transport.requests.isEmpty)
    await tern.shutdown()
  }

  @Test func `a client that was shut down observes nothing and leaves nothing running`() async throws {
    let harness = try world()
    let tern = try harness.client { $0.sessions = .manual }
    #expect(network.observers == 1)
    network.change()
    await harness.clock.sleeping()
    await tern.shutdown()
    #expect(network.observers == 0)
    await harness.clock.nobodySleeping()
    network.change()
  }

  @Test func `a client that was let go of observes nothing`() async throws {
    let harness = try world()
    var tern: TernClient? = try harness.client { $0.sessions = .manual }
    let stream = try #require(tern?.statusUpdates)
    tern = nil
    for await _ in stream {}
    #expect(network.observers == 0)
  }

  #if os(Linux)
    @Test func `the system's own source gives everything back when it is stopped`() async throws {
      func descriptors() throws -> Int {
        // Those of this kind only: other tests open and close theirs meanwhile.
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
          return target.map { sockets.contains($0) } ?? false
        }
      }
      var sockets: Set<String> { Set(netlinkSockets()) }
      let before = try descriptors()
      for _ in 0..<50 {
        let observation = SystemReachability().observe {}
        #expect(try descriptors() == before + 1)
        await observation.stop()
        await observation.stop()
      }
      #expect(try descriptors() == before)
    }

    /// The names under `/proc/self/fd` of all rtnetlink sockets of this network namespace.
    private func netlinkSockets() -> [String] {
      let table = (try? String(contentsOfFile: "/proc/net/netlink", encoding: .utf8)) ?? ""
      return table.split(separator: "\n").dropFirst().compactMap { line in
        let fields = line.split(separator: " ")
        return fields.count >= 10 && fields[1] == "0" ? "socket:[\(fields[9])]" : nil
      }
    }
  #endif
}
