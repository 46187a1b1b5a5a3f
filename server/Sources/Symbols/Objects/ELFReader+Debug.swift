import CTernZlib

/// The forms of debug information that the tool can't read, or only in part.
extension ELFReader {
  private static let compressedFlag: UInt64 = 0x800
  private static let zlibCompression: UInt64 = 1
  private static let maximumAbbreviationBytes = 4 << 20
  private static let unitTags: Set<UInt64> = [0x11, 0x4A]
  /// `DW_AT_dwo_name`, and what it was before DWARF 5.
  private static let splitNames: Set<UInt64> = [0x76, 0x2130]
  /// `DW_AT_name`.
  private static let unitName: UInt64 = 0x03
  private static let implicitConstant: UInt64 = 0x21

  /// Throws if debug information is compressed other than with zlib and a header.
  ///
  /// Only some builds of `llvm-symbolizer` read zstd, and none since LLVM 15 reads `.zdebug` sections; both are silent.
  func checkCompression(_ sections: [Section]) throws(ObjectError) {
    for section in sections where section.size > 0 && section.type != Self.emptySection {
      if section.name.hasPrefix(".zdebug_") { throw .unreadable }
      guard section.name.hasPrefix(".debug_"), section.flags & Self.compressedFlag != 0 else { continue }
      let type = try source.bytes(at: section.offset, count: 4, "a compressed section").word(at: 0)
      guard type == Self.zlibCompression else { throw .unreadable }
    }
  }

  /// Returns true if functions and inlined calls are in `.dwo` files, and only lines are here.
  ///
  /// Swift's programs have units with such an attribute for clang's modules, whose types are elsewhere. Unlike the rest of a split
  /// unit, these have a name.
  func isSplit(_ sections: [Section]) throws(ObjectError) -> Bool {
    guard let section = sections.first(where: { $0.name == ".debug_abbrev" && $0.type != Self.emptySection }) else {
      return false
    }
    // The first declarations suffice: they are those of units.
    let count = min(section.size, UInt64(Self.maximumAbbreviationBytes))
    var bytes = try source.bytes(at: section.offset, count: count, "the abbreviations").bytes
    if section.flags & Self.compressedFlag != 0 {
      bytes = Self.inflated(bytes.dropFirst(is64Bit ? 24 : 12), limit: Self.maximumAbbreviationBytes)
    }
    var reader = LEB128Reader(bytes: bytes)
    while !reader.isAtEnd {
      // A table ends with 0, and the next one follows.
      guard reader.next() != 0 else { continue }
      let isUnit = Self.unitTags.contains(reader.next())
      reader.skipByte()
      var (isElsewhere, isNamed) = (false, false)
      while !reader.isAtEnd {
        let (attribute, form) = (reader.next(), reader.next())
        guard attribute != 0 || form != 0 else { break }
        if form == Self.implicitConstant { _ = reader.next() }
        if Self.splitNames.contains(attribute) { isElsewhere = true }
        if attribute == Self.unitName { isNamed = true }
      }
      if isUnit, isElsewhere, !isNamed { return true }
    }
    return false
  }

  /// Decompresses bytes, as far as they are undamaged and fit.
  private static func inflated(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      var length = uLongf(limit)
      let status = bytes.withUnsafeBufferPointer {
        uncompress(buffer.baseAddress, &length, $0.baseAddress, uLong($0.count))
      }
      count = status == Z_OK || status == Z_BUF_ERROR ? min(Int(length), limit) : 0
    }
  }
}

/// Reads numbers of variable length; zeros after the end.
private struct LEB128Reader {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func skipByte() { position += 1 }

  mutating func next() -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if shift < 64 { value |= UInt64(byte & 0x7F) << shift }
      shift += 7
      if byte & 0x80 == 0 { break }
    }
    return value
  }
}
