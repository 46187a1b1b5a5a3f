#if !canImport(Darwin)
  import CTernNetlink

  /// An rtnetlink message that concerns reachability.
  ///
  /// The bytes come from the kernel but are treated as untrusted: every length is checked, and reading stops at the
  /// first that does not fit.
  enum NetlinkMessage: Hashable {
    /// A link exists with these flags.
    case link(index: Int32, flags: UInt32)
    case linkRemoved(index: Int32)
    /// An interface has an address that is usable beyond the link.
    case address(index: Int32, [UInt8])
    /// An interface does not, or no longer, have this address.
    case addressRemoved(index: Int32, [UInt8])
    /// A route was added; `index` is `nil` if it uses several interfaces.
    case route(index: Int32?)
    /// The answer to a request is complete, or the request was refused.
    case answered

    /// Reads the messages of one datagram, up to the first malformed one.
    static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
      var messages: [NetlinkMessage] = []
      var rest = NetlinkBytes(datagram[...])
      while let length = rest.uint32(at: 0), length >= headerLength, let message = rest.prefix(Int(length)) {
        if let message = NetlinkMessage(message) { messages.append(message) }
        rest = rest.dropFirst(aligned(Int(length)))
      }
      return messages
    }

    private static let headerLength = 16

    /// Reads one message, including its header; `nil` if it does not concern reachability.
    private init?(_ message: NetlinkBytes) {
      guard let type = message.uint16(at: 4) else { return nil }
      let body = message.dropFirst(Self.headerLength)
      switch Int(type) {
      case Int(NLMSG_DONE), Int(NLMSG_ERROR): self = .answered
      case Int(RTM_NEWLINK): self.init(link: body, isNew: true)
      case Int(RTM_DELLINK): self.init(link: body, isNew: false)
      case Int(RTM_NEWADDR): self.init(address: body, isNew: true)
      case Int(RTM_DELADDR): self.init(address: body, isNew: false)
      case Int(RTM_NEWROUTE): self.init(route: body)
      default: return nil
      }
    }

    /// `ifinfomsg`: family, type (2 bytes), index, flags, change.
    private init?(link body: NetlinkBytes, isNew: Bool) {
      // Other families describe the same link in another role: one that leaves a bridge still exists.
      guard let family = body.uint8(at: 0), Int32(family) == AF_UNSPEC, let index = body.int32(at: 4),
        let flags = body.uint32(at: 8)
      else { return nil }
      self = isNew ? .link(index: index, flags: flags) : .linkRemoved(index: index)
    }

    /// `ifaddrmsg`: family, prefix length, flags, scope, index; then attributes.
    private init?(address body: NetlinkBytes, isNew: Bool) {
      guard let family = body.uint8(at: 0), let shortFlags = body.uint8(at: 2), let scope = body.uint8(at: 3),
        let index = body.int32(at: 4)
      else { return nil }
      let attributes = body.dropFirst(8).attributes()
      // On a point-to-point link, IFA_LOCAL is ours and IFA_ADDRESS is the peer's.
      guard let address = attributes[UInt16(IFA_LOCAL)] ?? attributes[UInt16(IFA_ADDRESS)],
        address.count == (Int32(family) == AF_INET ? 4 : 16)
      else { return nil }
      let flags = attributes[UInt16(IFA_FLAGS)]?.uint32(at: 0) ?? UInt32(shortFlags)
      let isUsable = flags & Self.unusable == 0 && UInt32(scope) < RT_SCOPE_LINK.rawValue
      self =
        isNew && isUsable
        ? .address(index: index, address.array) : .addressRemoved(index: index, address.array)
    }

    /// Flags of an address that is being checked, is a duplicate, or is deprecated.
    private static let unusable = UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_DEPRECATED)

    /// `rtmsg`: family, 2 lengths, tos, table, protocol, scope, type, flags; then attributes.
    private init?(route body: NetlinkBytes) {
      guard let table = body.uint8(at: 4), let origin = body.uint8(at: 5), let type = body.uint8(at: 7),
        let flags = body.uint32(at: 8), UInt32(type) == UInt32(RTN_UNICAST), UInt32(table) != RT_TABLE_LOCAL.rawValue,
        flags & UInt32(RTM_F_CLONED) == 0
      else { return nil }
      // The kernel's own routes come with an address or a link, which already count; redirects do not matter.
      if Int32(origin) == RTPROT_KERNEL || Int32(origin) == RTPROT_REDIRECT { return nil }
      self = .route(index: body.dropFirst(12).attributes()[UInt16(RTA_OIF.rawValue)]?.int32(at: 0))
    }
  }

  /// Masks out the two flag bits of an attribute type.
  private let typeMask: UInt16 = 0x3FFF

  /// Rounds up to the four-byte alignment of netlink.
  private func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

  /// Bytes with bounds-checked access.
  private struct NetlinkBytes {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }
    var array: [UInt8] { Array(bytes) }

    func uint8(at offset: Int) -> UInt8? { load(at: offset) }
    func uint16(at offset: Int) -> UInt16? { load(at: offset) }
    func uint32(at offset: Int) -> UInt32? { load(at: offset) }
    func int32(at offset: Int) -> Int32? { load(at: offset) }

    func dropFirst(_ count: Int) -> NetlinkBytes { NetlinkBytes(bytes.dropFirst(count)) }

    /// The first `count` bytes, if there are that many.
    func prefix(_ count: Int) -> NetlinkBytes? {
      count <= bytes.count ? NetlinkBytes(bytes.prefix(count)) : nil
    }

    /// The attributes up to the first malformed one. Each has a 2-byte length, a 2-byte type and a value.
    func attributes() -> [UInt16: NetlinkBytes] {
      var attributes: [UInt16: NetlinkBytes] = [:]
      var rest = self
      while let length = rest.uint16(at: 0), length >= 4, let type = rest.uint16(at: 2),
        let attribute = rest.prefix(Int(length))
      {
        attributes[type & typeMask] = attribute.dropFirst(4)
        rest = rest.dropFirst(aligned(Int(length)))
      }
      return attributes
    }

    /// Loads an integer in host byte order, as netlink uses it.
    private func load<Value: FixedWidthInteger>(at offset: Int) -> Value? {
      let size = MemoryLayout<Value>.size
      guard offset + size <= bytes.count else { return nil }
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
  }
#endif
