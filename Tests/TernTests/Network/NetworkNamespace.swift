#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess

  /// Two machines of their own on one cable: network namespaces `app` and `collector` with a pair of virtual interfaces.
  ///
  /// They are removed with this object; what a test program that was killed left behind, the next one removes.
  final class Cable: Sendable {
    let app: String
    let collector: String
    static let appAddress = "192.0.2.2"
    static let collectorAddress = "192.0.2.1"
    /// The collector's as well; no route leads there unless a test makes one.
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

    /// Lets the app's system send into the void: it knows the other end's hardware address, so that it need not ask for
    /// it, and waits as long between two attempts to connect as older systems do.
    func letRequestsHang() throws {
      let hardwareAddress = "02:00:00:00:00:01"
      try onCollector("link set cable address \(hardwareAddress)")
      try onApp("neigh replace \(Self.collectorAddress) lladdr \(hardwareAddress) dev cable nud permanent")
      let setting = "/proc/sys/net/ipv4/tcp_syn_linear_timeouts"
      try Self.ip("netns exec \(app) sh -c", "test ! -e \(setting) || echo 0 > \(setting)")
    }

    /// Why no namespaces can be made here; `nil` when they can.
    static let obstacle: String? = {
      removeStale()
      let name = "tern-\(getpid())-try"
      do {
        try ip("netns add \(name)")
        defer { try? ip("netns del \(name)") }
        try ip("-n \(name) link add name near type veth peer name far")
        return nil
      } catch {
        return "network namespaces cannot be made here: \(error)"
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

    /// Runs `ip` and waits for its end: milliseconds, and a test may block for as long.
    private static func ip(_ arguments: String, _ last: String? = nil) throws {
      let words = arguments.split(separator: " ").map(String.init) + (last.map { [$0] } ?? [])
      let exit = try ChildProcess("ip", words, error: nil).wait()
      guard exit == .code(0) else {
        throw Failure(description: "`ip \(arguments)` failed (\(exit)); it takes root and CAP_NET_ADMIN")
      }
    }
  }
#endif
