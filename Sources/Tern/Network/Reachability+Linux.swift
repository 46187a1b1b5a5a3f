#if !canImport(Darwin)
  import CTernNetlink
  import Dispatch
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Observes rtnetlink, through which the kernel reports changes of links, addresses and routes.
  ///
  /// It costs a socket but no thread, and no wake-ups while the network does not change. If the system does not allow
  /// such a socket, it reports nothing.
  public struct SystemReachability: Reachability {
    /// Creates the source.
    public init() {}

    /// Calls `onChange` when an interface other than loopback becomes usable or gets an address, or a route appears.
    public func observe(_ onChange: @escaping @Sendable () -> Void) -> ReachabilityObservation {
      guard let socket = NetlinkSocket() else { return ReachabilityObservation { $0() } }
      let listener = NetlinkListener(socket, onChange)
      return ReachabilityObservation { listener.stop($0) }
    }
  }

  /// Reads the kernel's messages and reports changes.
  ///
  /// `@unchecked Sendable` because the socket and the source are thread-safe, and the table is used only on one serial
  /// queue.
  private final class NetlinkListener: @unchecked Sendable {
    private let socket: NetlinkSocket
    private let onChange: @Sendable () -> Void
    private let queue = DispatchQueue(label: "tern.reachability", qos: .utility)
    private let source: any DispatchSourceRead
    /// Left when the socket is closed.
    private let life = DispatchGroup()
    private var table = NetlinkTable()

    init(_ socket: NetlinkSocket, _ onChange: @escaping @Sendable () -> Void) {
      self.socket = socket
      self.onChange = onChange
      source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
      life.enter()
      // The handlers retain this object until the source is cancelled.
      source.setEventHandler { self.listen() }
      // The socket must stay open until then, because the source uses it.
      source.setCancelHandler { [life] in
        socket.close()
        life.leave()
      }
      queue.async { self.perform(self.table.begin()) }
      source.activate()
    }

    /// Stops listening; calls `whenEnded` once the socket is closed.
    func stop(_ whenEnded: @escaping @Sendable () -> Void) {
      source.cancel()
      life.notify(queue: queue, execute: whenEnded)
    }

    private func listen() {
      var buffer = [UInt8](repeating: 0, count: NetlinkSocket.maximumDatagram)
      // Bounded, so that a flood of messages does not keep the queue from ending the observation.
      for _ in 0..<64 {
        switch socket.receive(&buffer) {
        case .datagram(let bytes): perform(table.received(bytes))
        case .foreign: break
        case .lost: perform(table.lostMessages())
        case .nothing: return
        // The error is permanent: listening on would call this handler in a loop.
        case .failed: return source.cancel()
        }
      }
    }

    private func perform(_ actions: [NetlinkTable.Action]) {
      for action in actions {
        switch action {
        case .request(let dump): socket.request(dump)
        case .announce: onChange()
        }
      }
    }
  }

  /// An rtnetlink socket subscribed to links, addresses and routes.
  private struct NetlinkSocket: Sendable {
    /// The kernel never sends larger datagrams.
    static let maximumDatagram = 32 << 10

    enum Received {
      case datagram([UInt8])
      /// It came from another process, not the kernel.
      case foreign
      case lost, nothing, failed
    }

    let descriptor: Int32

    init?() {
      let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE)
      guard descriptor >= 0 else { return nil }
      var address = sockaddr_nl()
      address.nl_family = sa_family_t(AF_NETLINK)
      address.nl_groups = UInt32(
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
      let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      if code != 0 {
        close()
        return nil
      }
    }

    func close() { _ = systemClose(descriptor) }

    /// Requests a dump of all links or addresses: an `nlmsghdr` and an `rtgenmsg` for any address family.
    func request(_ dump: NetlinkTable.Dump) {
      let type = dump == .links ? RTM_GETLINK : RTM_GETADDR
      var header = nlmsghdr()
      header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + 4)
      header.nlmsg_type = UInt16(type)
      header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
      let message = withUnsafeBytes(of: header) { Array($0) } + [0, 0, 0, 0]
      // If this fails, nothing is ever announced, and the client does without hints.
      _ = send(descriptor, message, message.count, 0)
    }

    func receive(_ buffer: inout [UInt8]) -> Received {
      var sender = sockaddr_nl()
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let count = withUnsafeMutablePointer(to: &sender) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          // MSG_TRUNC returns the datagram's real size even if the buffer is too small.
          recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_TRUNC), $0, &length)
        }
      }
      if count < 0 {
        switch errno {
        case EAGAIN, EWOULDBLOCK: return .nothing
        case EINTR: return .foreign
        case ENOBUFS: return .lost
        default: return .failed
        }
      }
      if sender.nl_pid != 0 { return .foreign }
      return count > buffer.count ? .lost : .datagram(Array(buffer[..<count]))
    }
  }

  // A free function, because inside the type the method of the same name hides the system's.
  private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
#endif
