#if !canImport(Darwin)
  import CTernNetlink

  /// Decides which of the kernel's messages mean that the network has become available.
  ///
  /// It has when an interface other than loopback has both a carrier and an address after gaining either, or when a
  /// route appears that is not the kernel's own. Routes are not stored, because the kernel does not report the routes
  /// lost with an interface that goes down.
  struct NetlinkTable: Sendable {
    /// An action for the owner to perform.
    enum Action: Hashable {
      /// Ask the kernel for all links or all addresses.
      case request(Dump)
      /// Report that the network came back or changed.
      case announce
    }

    enum Dump: Hashable { case links, addresses }

    private struct Interface {
      var isLoopback = false
      var hasCarrier = false
      var addresses: Set<[UInt8]> = []

      var isUsable: Bool { !isLoopback && hasCarrier && !addresses.isEmpty }
    }

    // A host full of containers has hundreds of each; the limits bound our memory on larger ones.
    private static let maximumInterfaces = 4096
    private static let maximumAddresses = 256

    private var interfaces: [Int32: Interface] = [:]
    /// The pending request for a dump; until it is answered, changes cannot be distinguished from the initial state.
    private var dump: Dump?
    /// True if messages were lost, so that something may have changed unnoticed.
    private var isUnsure = false

    var interfaceCount: Int { interfaces.count }
    var addressCount: Int { interfaces.values.reduce(0) { $0 + $1.addresses.count } }

    /// Starts over by requesting the current state.
    mutating func begin() -> [Action] {
      interfaces = [:]
      dump = .links
      return [.request(.links)]
    }

    /// Starts over because the socket's buffer overflowed.
    mutating func lostMessages() -> [Action] {
      isUnsure = true
      return begin()
    }

    /// Handles one datagram.
    mutating func received(_ datagram: [UInt8]) -> [Action] {
      var actions: [Action] = []
      var isAnnounced = false
      for message in NetlinkMessage.messages(in: datagram) {
        if message == .answered {
          actions += answered()
        } else if take(message), dump == nil {
          isAnnounced = true
        }
      }
      return isAnnounced ? actions + [.announce] : actions
    }

    private mutating func answered() -> [Action] {
      switch dump {
      case .links:
        dump = .addresses
        return [.request(.addresses)]
      case .addresses:
        dump = nil
        defer { isUnsure = false }
        return isUnsure && interfaces.values.contains(where: \.isUsable) ? [.announce] : []
      case nil: return []
      }
    }

    /// Handles one message; returns true if it makes the network available.
    private mutating func take(_ message: NetlinkMessage) -> Bool {
      switch message {
      case .link(let index, let flags):
        return change(index) {
          $0.isLoopback = flags & UInt32(TERN_IFF_LOOPBACK) != 0
          $0.hasCarrier = flags & Self.carrierMask == Self.carrier
        }
      case .linkRemoved(let index):
        interfaces[index] = nil
        return false
      case .address(let index, let address):
        var isNew = false
        _ = change(index) {
          if $0.addresses.count < Self.maximumAddresses { isNew = $0.addresses.insert(address).inserted }
        }
        return isNew && interfaces[index]?.isUsable == true
      case .addressRemoved(let index, let address):
        interfaces[index]?.addresses.remove(address)
        return false
      case .route(let index):
        return index.flatMap { interfaces[$0]?.isLoopback } != true
      case .answered: return false
      }
    }

    /// Up and with a carrier; not dormant, as a wireless link is before authentication.
    private static let carrier = UInt32(TERN_IFF_UP | TERN_IFF_LOWER_UP)
    private static let carrierMask = carrier | UInt32(TERN_IFF_DORMANT)

    /// Changes an interface; returns true if that made it usable.
    private mutating func change(_ index: Int32, _ body: (inout Interface) -> Void) -> Bool {
      guard interfaces[index] != nil || interfaces.count < Self.maximumInterfaces else { return false }
      let wasUsable = interfaces[index]?.isUsable ?? false
      body(&interfaces[index, default: Interface()])
      return !wasUsable && interfaces[index]?.isUsable == true
    }
  }
#endif
