#if !canImport(Darwin)
  import CTernNetlink
  import Dispatch
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Listens to rtnetlink, by which the kernel tells of links, addresses and routes.
  ///
  /// It costs a socket and, while the network does not change, no wake-up and no thread of its own. Where the system
  /// allows no such socket, it tells nothing.
  public struct SystemReachability: Reachability {
    /// Creates the source.
    public init() {}

    /// Calls `onChange` each time that an interface other than loopback became usable or got an address, or a route
    /// appeared.
    public func observe(_ onChange: @escaping @Sendable () -> Void) -> ReachabilityObservation {
      guard let socket = NetlinkSocket() else { return ReachabilityObservation { $0() } }
      let listener = NetlinkListener(socket, onChange)
      return ReachabilityObservation { listener.stop($0) }
    }
  }

  /// Reads what the kernel sends and tells what it means.
  ///
  /// `@unchecked Sendable` because the socket and the source may be used by any thread, and the table is by the handlers
  /// of one serial queue only.
  private final class NetlinkListener: @unchecked Sendable {
    private let socket: NetlinkSocket
    private let onChange: @Sendable () -> Void
    private let queue = DispatchQueue(label: "tern.reachability", qos: .utility)
    private let source: any DispatchSourceRead
    /// Entered until the socket is closed.
    private let life = DispatchGroup()
    private var table = NetlinkTable()

    init(_ socket: NetlinkSocket, _ onChange: @escaping @Sendable () -> Void) {
      self.socket = socket
      self.onChange = onChange
      source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
      life.enter()
      // The handlers keep this object until the source is cancelled.
      source.setEventHandler { self.listen() }
      // Not closed before: until then the source uses the descriptor.
      source.setCancelHandler { [life] in
        socket.close()
        life.leave()
      }
      queue.async { self.perform(self.table.begin()) }
      source.activate()
    }

    /// Ends listening; calls the argument when nothing is left running.
    func stop(_ whenEnded: @escaping @Sendable () -> Void) {
      source.cancel()
      life.notify(queue: queue, execute: whenEnded)
    }

    private func listen() {
      var buffer = [UInt8](repeating: 0, count: NetlinkSocket.maximumDatagram)
      // A flood is left for the next call: the queue must get to the end of the observation.
      for _ in 0..<64 {
        switch socket.receive(&buffer) {
        case .datagram(let bytes): perform(table.received(bytes))
        case .foreign: break
        case .lost: perform(table.lostMessages())
        case .nothing: return
        // It will not get better: listening on would be called again and again.
        case .failed: return source.cancel()
        }
      }
    }

    private func perform(_ actions: [NetlinkTable.Action]) {
      for action in actions {
        switch action {
        case .ask(let question): socket.ask(question)
        case .announce: onChange()
        }
      }
    }
  }

  /// A socket that hears of links, addresses and routes.
  private struct NetlinkSocket: Sendable {
    /// The kernel never sends more at once.
    static let maximumDatagram = 32 << 10

    enum Received {
      case datagram([UInt8])
      /// Another process sent it, as any may.
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

    /// Asks for everything of a kind: an `nlmsghdr` and an `rtgenmsg` that says "of any family".
    func ask(_ question: NetlinkTable.Question) {
      let type = question == .links ? RTM_GETLINK : RTM_GETADDR
      var header = nlmsghdr()
      header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + 4)
      header.nlmsg_type = UInt16(type)
      header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
      let message = withUnsafeBytes(of: header) { Array($0) } + [0, 0, 0, 0]
      // Unanswered, nothing is ever announced: a client does without hints then.
      _ = send(descriptor, message, message.count, 0)
    }

    func receive(_ buffer: inout [UInt8]) -> Received {
      var sender = sockaddr_nl()
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let count = withUnsafeMutablePointer(to: &sender) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          // With this flag the count is the datagram's own, even if the buffer is too small for it.
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
