import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A network hint` {
  private let network = ScriptedReachability()

  private func world(_ transport: ScriptedTransport = ScriptedTransport()) throws -> TestHarness {
    try TestHarness(transport: transport, reachability: network)
  }

  /// Advances the clock until a hint is due.
  private func settle(_ clock: TestClock) async {
    await clock.sleeping(until: clock.uptime + .milliseconds(100))
    clock.advance(by: .milliseconds(100))
  }

  @Test func `makes a failing client retry immediately, however long its backoff`() async throws {
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

  @Test func `cancels a request that hangs and sends it again`() async throws {
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

  @Test func `does not disturb a request that has only just started`() async throws {
    let harness = try world(ScriptedTransport(answers: [.hold]))
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A", priority: .critical)
    await harness.transport.request(number: 1)
    network.change()
    await settle(harness.clock)
    // A second hint proves that the first one was handled.
    tern.track("B", priority: .critical)
    await harness.transport.request(number: 2)
    harness.transport.release()
    await tern.waitForStatus { $0.delivered == 2 }
    #expect(harness.transport.requests.count == 2)
    await tern.shutdown()
  }

  @Test func `sends nothing when no events wait`() async throws {
    let harness = try world()
    let tern = try harness.client { $0.sessions = .manual }
    network.change()
    await settle(harness.clock)
    #expect(await tern.flush() == .nothingToSend)
    #expect(harness.transport.requests.isEmpty)
    await tern.shutdown()
  }

  @Test func `a client that shuts down stops observing and leaves nothing running`() async throws {
    let harness = try world()
    let tern = try harness.client { $0.sessions = .manual }
    #expect(network.observers == 1)
    network.change()
    await harness.clock.sleeping()
    await tern.shutdown()
    #expect(network.observers == 0)
    await harness.clock.noTaskSleeping()
    network.change()
  }

  @Test func `a client without references stops observing`() async throws {
    let harness = try world()
    var tern: TernClient? = try harness.client { $0.sessions = .manual }
    let stream = try #require(tern?.statusUpdates)
    tern = nil
    for await _ in stream {}
    #expect(network.observers == 0)
  }

  #if os(Linux)
    @Test func `the system source releases everything when it is stopped`() async throws {
      func descriptors() throws -> Int {
        // Only rtnetlink sockets count: other tests open and close other descriptors meanwhile.
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
