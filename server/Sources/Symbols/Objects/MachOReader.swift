/// Reads the facts of a little-endian Mach-O file of 32 or 64 bits, or of those in a universal file.
struct MachOReader {
  private static let maximumArchitectures = 32
  private static let maximumCommands = 10_000
  private static let maximumSections = 256
  private static let maximumSymbols: UInt64 = 8_000_000
  /// A file is stripped if it has a name for fewer than one of so many functions.
  private static let namedShare = 4
  private static let relocatable: UInt64 = 1
  private static let symbolTable: UInt64 = 0x2
  private static let uuid: UInt64 = 0x1B
  private static let functionStarts: UInt64 = 0x26
  private static let segment: UInt64 = 0x1
  private static let executableFlag: UInt64 = 4
  private static let segment64Bit: UInt64 = 0x19

  private let source: ObjectSource
  private let range: Range<Int>
  private let header: ObjectFields
  private let is64Bit: Bool

  /// - Parameter range: The bytes of the file, for ``ObjectFile/range``.
  init(_ source: ObjectSource, range: Range<Int>) throws(ObjectError) {
    (self.source, self.range) = (source, range)
    header = try source.bytes(at: 0, count: 28, "its header")
    switch try header.word(at: 0) {
    case 0xFEED_FACF: is64Bit = true
    case 0xFEED_FACE: is64Bit = false
    default: throw .damaged("an architecture is no little-endian Mach-O")
    }
  }

  /// Reads all architectures of a universal file.
  static func universal(_ source: ObjectSource, has64BitTable: Bool) throws(ObjectError) -> [ObjectFile] {
    var head = try source.bytes(at: 0, count: 8, "its header")
    head.isBigEndian = true
    let count = try head.word(at: 4)
    // Java's classes begin with the same bytes, followed by a larger number.
    guard (1...UInt64(maximumArchitectures)).contains(count) else { throw .notSymbols }
    let entryBytes: UInt64 = has64BitTable ? 32 : 20
    var table = try source.bytes(at: 8, count: count * entryBytes, "the table of architectures")
    table.isBigEndian = true
    var parts: [(source: ObjectSource, range: Range<Int>)] = []
    for number in 0..<Int(count) {
      let start = number * Int(entryBytes)
      let offset = try table.number(at: start + 8, bytes: has64BitTable ? 8 : 4)
      let size = try table.number(at: start + (has64BitTable ? 16 : 12), bytes: has64BitTable ? 8 : 4)
      let part = try source.part(at: offset, count: size, "an architecture")
      let range = Int(offset)..<Int(offset) + part.count
      // Each is stored alone: those that overlap would be copied as often as they are named.
      guard !parts.contains(where: { $0.range.overlaps(range) }) else { throw .damaged("its architectures overlap") }
      parts.append((part, range))
    }
    var files: [ObjectFile] = []
    for (part, range) in parts { files.append(try MachOReader(part, range: range).file()) }
    return files
  }

  func file() throws(ObjectError) -> ObjectFile {
    guard try header.word(at: 12) != Self.relocatable else { throw .unlinked }
    let (count, bytes) = (try header.word(at: 16), try header.word(at: 20))
    guard count <= Self.maximumCommands else { throw .damaged("it has too many load commands") }
    let commands = try source.bytes(at: is64Bit ? 32 : 28, count: bytes, "the load commands")
    var file = ObjectFile(
      buildID: "", architecture: try architecture(), hasLines: false, textAddress: 0, range: range)
    var symbols: (offset: UInt64, count: UInt64)?
    var starts: (offset: UInt64, bytes: UInt64)?
    var position = 0
    for _ in 0..<Int(count) {
      let (command, size) = (try commands.word(at: position), Int(try commands.word(at: position + 4)))
      guard size >= 8, size <= commands.bytes.count - position else { throw .damaged("a load command is too long") }
      switch command {
      case Self.uuid where size >= 24: file.buildID = commands.hexadecimal(at: position + 8, count: 16) ?? ""
      case Self.symbolTable where size >= 24:
        symbols = (try commands.word(at: position + 8), try commands.word(at: position + 12))
      case Self.functionStarts where size >= 16:
        starts = (try commands.word(at: position + 8), try commands.word(at: position + 12))
      case Self.segment64Bit where is64Bit, Self.segment where !is64Bit:
        try read(segment: position, size, in: commands, to: &file)
      default: break
      }
      position += size
    }
    guard !file.buildID.isEmpty else { throw .noBuildID }
    if let starts, starts.bytes > 0 {
      let isARM = try header.word(at: 4) == 0xC
      file.functions = FunctionTable(
        form: .distances(from: file.textAddress), offset: starts.offset, bytes: starts.bytes,
        mask: isARM ? ~1 : .max)
    }
    if !file.hasLines { try checkSymbols(symbols, of: file) }
    return file
  }

  /// Throws if the file has names for few of its functions only, as stripped executables and libraries have: those that
  /// others import, and the name of the header.
  private func checkSymbols(_ table: (offset: UInt64, count: UInt64)?, of file: ObjectFile) throws(ObjectError) {
    guard let table, table.count > 0, table.count <= Self.maximumSymbols, let code = file.code else { throw .stripped }
    // Without a table, or with one that can't be read, a name suffices.
    let functions = (try? file.functions?.count(in: source)) ?? 0
    let wanted = max(1, functions / Self.namedShare)
    var named = 0
    let entryBytes = is64Bit ? 16 : 12
    try source.forEachRecord(at: table.offset, count: table.count, bytes: entryBytes, "the table of symbols") {
      fields, start throws(ObjectError) in
      let kind = try fields.number(at: start + 4, bytes: 1)
      let address = try fields.number(at: start + 8, bytes: is64Bit ? 8 : 4)
      // No debugging entry, but defined in a section. The header, `__mh_execute_header`, is at the start of the segment.
      let isDefined = kind & 0xE0 == 0 && kind & 0x0E == 0x0E
      if isDefined, code.contains(address), address != file.textAddress { named += 1 }
      return named < wanted
    }
    guard named >= wanted else { throw functions > 0 ? .strippedMachO : .stripped }
  }

  private func read(
    segment start: Int, _ size: Int, in commands: ObjectFields, to file: inout ObjectFile
  ) throws(ObjectError) {
    let (headBytes, sectionBytes) = is64Bit ? (72, 80) : (56, 68)
    guard size >= headBytes else { throw .damaged("a segment is too short") }
    let address = try is64Bit ? commands.number(at: start + 24, bytes: 8) : commands.word(at: start + 24)
    if commands.text(at: UInt64(start + 8), limit: 16) == "__TEXT" { file.textAddress = address }
    if try commands.word(at: start + (is64Bit ? 60 : 44)) & Self.executableFlag != 0 {
      file.addCode(
        at: address, count: try is64Bit ? commands.number(at: start + 32, bytes: 8) : commands.word(at: start + 28))
    }
    let count = min(try commands.word(at: start + (is64Bit ? 64 : 48)), UInt64(Self.maximumSections))
    for number in 0..<Int(count) {
      let section = start + headBytes + number * sectionBytes
      guard section + sectionBytes <= start + size else { throw .damaged("a section is outside of its segment") }
      let bytes = try is64Bit ? commands.number(at: section + 40, bytes: 8) : commands.word(at: section + 36)
      let name = commands.text(at: UInt64(section), limit: 16)
      if bytes > 0, name == "__debug_info" { file.hasLines = true }
      if name.hasPrefix("__zdebug_") { throw .unreadable }
    }
  }

  private func architecture() throws(ObjectError) -> String {
    let type = try header.word(at: 4)
    switch type {
    case 0x7: return "i386"
    case 0xC: return "arm"
    case 0x0100_0007: return "x86_64"
    case 0x0100_000C: return try header.word(at: 8) & 0xFF_FFFF == 2 ? "arm64e" : "arm64"
    case 0x0200_000C: return "arm64_32"
    default: return "CPU type \(type)"
    }
  }
}
