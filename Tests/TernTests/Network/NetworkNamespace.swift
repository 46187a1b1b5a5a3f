#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess

  /// Two machines on one cable: the network namespaces `app` and `collector` with a pair of virtual interfaces.
  ///
  /// This object removes them when it is deallocated. Leftovers of a killed test program are removed by the next one.
  final class Cable: Sendable {
    let app: String
    let collector: String
    static let appAddress = "192.0.2.2"
    static let collectorAddress = "192.0.2.1"
    /// A second address of the collector; no route leads there unless a test adds one.
    static let farAddress = "198.51.100.1"

    init(_ name: String) throws {
      app = "tern-\(getpid())-\(name)-app"
      collector = "tern-\(getpid())-\(name)-col"
      for namespace in [app, collector] { try Self.ip("netns add \(namespace)") }
      try Self.ip("-n \(app) link add name cable type veth peer name cable netns \(collector)")
      for namespace in [app, collector] {
        try Self.ip("-n \(namespace) link set lo up")
        try Self.ip("-n \(namespace) link set cable up")
      }
      try Self.ip("-n \(app) addr add \(Self.appAddress)/30 dev cable")
      try Self.ip("-n \(collector) addr add \(Self.collectorAddress)/30 dev cable")
      try Self.ip("-n \(collector) addr add \(Self.farAddress)/32 dev lo")
    }

    deinit {
      for namespace in [app, collector] { try? Self.ip("netns del \(namespace)") }
    }

    func onApp(_ command: String) throws { try Self.ip("-n \(app) \(command)") }
    func onCollector(_ command: String) throws { try Self.ip("-n \(collector) \(command)") }

    /// Makes the app's packets vanish. Its system already has the hardware address of the other end, so it need not ask
    /// for it, and it waits as long between two connection attempts as older systems do.
    func letRequestsHang() throws {
      let hardwareAddress = "02:00:00:00:00:01"
      try onCollector("link set cable address \(hardwareAddress)")
      try onApp("neigh replace \(Self.collectorAddress) lladdr \(hardwareAddress) dev cable nud permanent")
      let setting = "/proc/sys/net/ipv4/tcp_syn_linear_timeouts"
      try Self.ip("netns exec \(app) sh -c", "test ! -e \(setting) || echo 0 > \(setting)")
    }

    /// The reason why namespaces cannot be created here; `nil` if they can.
    static let obstacle: String? = {
      removeStale()
      let name = "tern-\(getpid())-try"
      do {
        try ip("netns add \(name)")
        defer { try? ip("netns del \(name)") }
        try ip("-n \(name) link add name near type veth peer name far")
        return nil
      } catch {
        return "network namespaces cannot be created here: \(error)"
      }
    }()

    private static func removeStale() {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? [] {
        let parts = name.split(separator: "-")
        guard parts.count >= 3, parts[0] == "tern", let process = Int32(parts[1]), kill(process, 0) != 0 else {
          continue
        }
        try? ip("netns del \(name)")
      }
    }

    struct Failure: Error, CustomStringConvertible {
      var description: String
    }

    /// Runs `ip` to completion. This takes milliseconds, and a test may block for that long.
    private static func ip(_ arguments: String, _ last: String? = nil) throws {
      let words = arguments.split(separator: " ").map(String.init) + (last.map { [$0] } ?? [])
      let exit = try ChildProcess("ip", words, error: nil).wait()
      guard exit == .code(0) else {
        throw Failure(description: "`ip \(arguments)` failed (\(exit)); it requires root and CAP_NET_ADMIN")
      }
    }
  }
#endif
