/// The table in which a file lists where its functions begin, whether or not they have names.
///
/// Symbols of a stripped file are few, and the nearest one before a position may belong to another function. This table says
/// so: it is for unwinding and debugging, so stripping keeps it.
package struct FunctionTable: Sendable, Hashable {
  /// The forms of the table.
  enum Form: Sendable, Hashable {
    /// Mach-O's `LC_FUNCTION_STARTS`: distances in LEB128, from the address of the text segment.
    case distances(from: UInt64)
    /// The sorted index in ELF's `.eh_frame_hdr`: pairs of 32 bits, relative to the address of the section.
    case frameIndex(of: UInt64)
  }

  let form: Form
  let offset: UInt64
  let bytes: UInt64
  /// The bits that an address of code can have: on 32-bit ARM, the lowest one selects the instruction set.
  var mask = UInt64.max

  private static let frameHeaderBytes: UInt64 = 12
  private static let frameEntryBytes = 8

  /// Calls `body` with the address of each function, in ascending order.
  func forEach(in source: ObjectSource, _ body: (UInt64) -> Void) throws(ObjectError) {
    switch form {
    case .distances(let base):
      var (address, value, shift) = (base, UInt64(0), UInt64(0))
      for byte in try source.bytes(at: offset, count: bytes, "the table of functions").bytes {
        if shift < 64 { value |= UInt64(byte & 0x7F) << shift }
        shift += 7
        guard byte & 0x80 == 0 else { continue }
        // A distance of 0 ends the table, which is padded.
        guard value > 0 else { return }
        address &+= value
        body(address & mask)
        (value, shift) = (0, 0)
      }
    case .frameIndex(let base):
      let head = try source.bytes(at: offset, count: Self.frameHeaderBytes, "the index of functions").bytes
      // Version 1, and the encodings that linkers write: 32 bits each, the entries relative to the section.
      guard head[0] == 1, head[1] & 0x0F == 0x0B || head[1] & 0x0F == 3, head[2] == 3, head[3] == 0x3B else { return }
      let count = try ObjectFields(bytes: head, name: "the index of functions").word(at: 8)
      try source.forEachRecord(
        at: offset + Self.frameHeaderBytes, count: min(count, bytes / UInt64(Self.frameEntryBytes)),
        bytes: Self.frameEntryBytes, "the index of functions"
      ) { fields, start throws(ObjectError) in
        body(base &+ UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: try fields.word(at: start)))))
        return true
      }
    }
  }

  /// Returns the number of functions.
  func count(in source: ObjectSource) throws(ObjectError) -> Int {
    var count = 0
    try forEach(in: source) { _ in count += 1 }
    return count
  }

  /// Returns the last start of a function at or before each address that has one.
  ///
  /// - Parameter addresses: Addresses in ascending order.
  package func lastStarts(in source: ObjectSource, before addresses: [UInt64]) throws(ObjectError) -> [UInt64: UInt64] {
    var starts: [UInt64: UInt64] = [:]
    var (next, last) = (0, UInt64?.none)
    try forEach(in: source) { start in
      while next < addresses.count, addresses[next] < start {
        starts[addresses[next]] = last
        next += 1
      }
      last = start
    }
    for address in addresses[next...] { starts[address] = last }
    return starts
  }
}
