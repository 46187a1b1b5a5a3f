#if os(Linux)
  import Foundation
  import Glibc
  import TernTestSupport
  import Testing

  /// Uses real processes, real sockets and a virtual cable, in real time because the kernel offers no other.
  @Suite(
    .serialized, .timeLimit(.minutes(30)),
    .enabled(if: Cable.obstacle == nil, Comment(rawValue: Cable.obstacle ?? "")))
  struct `A real link` {
    /// A seed with long backoffs: a client without network hints waits for minutes.
    private static let seed = "1"

    private struct Machines {
      let cable: Cable
      let collector: ProbeProcess
      let listening: ProbeProcess
      let deaf: ProbeProcess
      let directories: [URL]

      func end() {
        for process in [collector, listening, deaf] { process.hangUp() }
        for directory in directories { try? FileManager.default.removeItem(at: directory) }
      }
    }

    /// A collector at one end of a cable and two apps at the other; one app receives network hints and one does not.
    private func machines(_ name: String, collectorAt address: String = Cable.collectorAddress) async throws -> Machines
    {
      let cable = try Cable(name)
      let collector = try ProbeProcess(
        ["collector", "--address", address], by: ["ip", "netns", "exec", cable.collector])
      let port = try #require(await collector.line("port"))
      let directories = (0..<2).map { _ in
        FileManager.default.temporaryDirectory.appendingPathComponent("tern-link-\(UUID().uuidString)")
      }
      let apps = try directories.enumerated().map { index, directory in
        let options = [
          "app", "--collector", "http://\(address):\(port)", "--directory", directory.path, "--seed", Self.seed,
        ]
        return try ProbeProcess(
          options + (index == 0 ? [] : ["--deaf"]), by: ["ip", "netns", "exec", cable.app])
      }
      for app in apps { _ = try #require(await app.line("ready")) }
      return Machines(
        cable: cable, collector: collector, listening: apps[0], deaf: apps[1], directories: directories)
    }

    /// Lets both apps record an event and fail until their backoffs are long, then brings the network back and measures
    /// how long the event of the first app takes to arrive. The other app's event has not arrived by then.
    private func measure(
      _ machines: Machines, _ what: String, flushes: String = "14 500", restore: () throws -> Void
    ) async throws {
      let apps = [machines.listening, machines.deaf]
      for app in apps {
        await app.say("track \(app === machines.deaf ? "Deaf" : "Heard")", andHear: "tracked")
        app.say("flush \(flushes)")
      }
      for app in apps {
        await app.line("flushed")
        #expect(await app.say("status", andHear: "status") == "queued=1 delivered=0")
      }
      let start = monotonicNanoseconds()
      try restore()
      let arrival = try #require(await machines.collector.line("received Heard").flatMap { Int64($0) })
      let milliseconds = Double(arrival - start) / 1_000_000
      print("\(what): the event arrived \(String(format: "%.1f", milliseconds)) ms after the command began")
      #expect(milliseconds < 5_000)
      #expect(!machines.collector.lines.contains { $0.hasPrefix("received Deaf") })
    }

    private func monotonicNanoseconds() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @Test func `an event recorded while the interface is down arrives when it is up`() async throws {
      let machines = try await machines("up")
      defer { machines.end() }
      try machines.cable.onApp("link set cable down")
      try await measure(machines, "interface up") { try machines.cable.onApp("link set cable up") }
    }

    @Test func `an event recorded without an address arrives when there is one`() async throws {
      let machines = try await machines("addr")
      defer { machines.end() }
      try machines.cable.onApp("addr del \(Cable.appAddress)/30 dev cable")
      try await measure(machines, "address added") {
        try machines.cable.onApp("addr add \(Cable.appAddress)/30 dev cable")
      }
    }

    @Test func `an event recorded without a route arrives when there is one`() async throws {
      let machines = try await machines("route", collectorAt: Cable.farAddress)
      defer { machines.end() }
      try await measure(machines, "default route added") {
        try machines.cable.onApp("route add default via \(Cable.collectorAddress)")
      }
    }

    @Test func `a request that hangs on an unplugged cable is restarted when the cable is plugged in`() async throws {
      let machines = try await machines("cable")
      defer { machines.end() }
      // Packets vanish without an error, so requests hang. The system resends the first packet after 1, 3 and 7 s.
      try machines.cable.letRequestsHang()
      try machines.cable.onCollector("link set cable down")
      try await measure(machines, "cable plugged in", flushes: "1 3500") {
        try machines.cable.onCollector("link set cable up")
      }
    }
  }
#endif
