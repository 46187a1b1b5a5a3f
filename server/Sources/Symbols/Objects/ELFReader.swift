/// Reads the facts of an ELF file of 32 or 64 bits.
struct ELFReader {
  private static let maximumSections = 16_384
  private static let maximumSegments = 512
  private static let maximumNoteBytes: UInt64 = 64 << 10
  private static let relocatable: UInt64 = 1
  private static let noteSection: UInt64 = 7
  private static let symbolTableSection: UInt64 = 2
  private static let dynamicSymbolTableSection: UInt64 = 11
  static let emptySection: UInt64 = 8
  private static let maximumSymbols: UInt64 = 8_000_000
  /// Functions, also those that are chosen at the start of the program.
  private static let functionKinds: Set<UInt64> = [2, 10]
  private static let executableFlag: UInt64 = 4
  private static let noteSegment: UInt64 = 4
  private static let gnuBuildID: UInt64 = 3

  let source: ObjectSource
  private let header: ObjectFields
  let is64Bit: Bool

  init(_ source: ObjectSource) throws(ObjectError) {
    self.source = source
    let head = try source.bytes(at: 0, count: 20, "its header")
    switch head.bytes[4] {
    case 1: is64Bit = false
    case 2: is64Bit = true
    default: throw .damaged("its class is unknown")
    }
    guard head.bytes[5] == 1 else { throw .unsupported("Big-endian ELF") }
    header = try source.bytes(at: 0, count: is64Bit ? 64 : 52, "its header")
  }

  func file() throws(ObjectError) -> ObjectFile {
    let sections = try sections()
    guard !sections.contains(where: { $0.name == ".debug_info.dwo" }) else { throw .splitPart }
    guard try header.number(at: 16, bytes: 2) != Self.relocatable else { throw .unlinked }
    try checkCompression(sections)
    let hasLines = sections.contains { $0.type != Self.emptySection && $0.size > 0 && $0.name == ".debug_info" }
    guard let id = try buildID(sections) else { throw .noBuildID }
    if !hasLines, try !hasFunctions(sections) { throw .stripped }
    var file = ObjectFile(
      buildID: id, architecture: try architecture(), hasLines: hasLines, textAddress: 0, range: 0..<source.count)
    if hasLines, try isSplit(sections) {
      (file.isSplit, file.hasLines) = (true, false)
      file.warning = ObjectFile.splitWarning
    } else if sections.contains(where: { $0.name == ".gnu_debugaltlink" }) {
      file.warning = ObjectFile.sharedWarning
    }
    // Sections keep their addresses and sizes in a `.debug` file.
    for section in sections where section.flags & Self.executableFlag != 0 {
      file.addCode(at: section.address, count: section.size)
    }
    if let index = sections.first(where: { $0.name == ".eh_frame_hdr" && $0.type != Self.emptySection }) {
      file.functions = FunctionTable(form: .frameIndex(of: index.address), offset: index.offset, bytes: index.size)
    }
    return file
  }

  /// Returns true if a table of symbols has a function of this file. A stripped library still names what it exports.
  private func hasFunctions(_ sections: [Section]) throws(ObjectError) -> Bool {
    let entryBytes = is64Bit ? 24 : 16
    for section in sections where [Self.symbolTableSection, Self.dynamicSymbolTableSection].contains(section.type) {
      var isFound = false
      try source.forEachRecord(
        at: section.offset, count: min(section.size / UInt64(entryBytes), Self.maximumSymbols), bytes: entryBytes,
        "the table of symbols"
      ) { fields, start throws(ObjectError) in
        let kind = try fields.number(at: start + (is64Bit ? 4 : 12), bytes: 1) & 0xF
        let place = try fields.number(at: start + (is64Bit ? 6 : 14), bytes: 2)
        isFound = Self.functionKinds.contains(kind) && place != 0
        return !isFound
      }
      if isFound { return true }
    }
    return false
  }

  struct Section {
    var name = ""
    var nameOffset: UInt64
    var type: UInt64
    var flags: UInt64
    var address: UInt64
    var offset: UInt64
    var size: UInt64
    var link: UInt64
  }

  private func sections() throws(ObjectError) -> [Section] {
    let table = try is64Bit ? header.number(at: 40, bytes: 8) : header.word(at: 32)
    guard table != 0 else { return [] }
    let entryBytes = try header.number(at: is64Bit ? 58 : 46, bytes: 2)
    var count = try header.number(at: is64Bit ? 60 : 48, bytes: 2)
    var names = try header.number(at: is64Bit ? 62 : 50, bytes: 2)
    guard entryBytes == (is64Bit ? 64 : 40) else { throw .damaged("its sections have an unknown size") }
    // Numbers that don't fit into the header are in the first section.
    if count == 0 || names == 0xFFFF {
      let first = try section(in: try source.bytes(at: table, count: entryBytes, "the first section"), at: 0)
      if count == 0 { count = first.size }
      if names == 0xFFFF { names = first.link }
    }
    guard count <= Self.maximumSections else { throw .damaged("it has too many sections") }
    let bytes = try source.bytes(at: table, count: count * entryBytes, "the table of sections")
    var sections: [Section] = []
    for number in 0..<Int(count) { sections.append(try section(in: bytes, at: number * Int(entryBytes))) }
    guard let names = Int(exactly: names), sections.indices.contains(names), sections[names].type != Self.emptySection
    else { return sections }
    let texts = try source.bytes(at: sections[names].offset, count: sections[names].size, "the names of sections")
    for index in sections.indices { sections[index].name = texts.text(at: sections[index].nameOffset, limit: 32) }
    return sections
  }

  private func section(in fields: ObjectFields, at start: Int) throws(ObjectError) -> Section {
    Section(
      nameOffset: try fields.word(at: start), type: try fields.word(at: start + 4),
      flags: try is64Bit ? fields.number(at: start + 8, bytes: 8) : fields.word(at: start + 8),
      address: try is64Bit ? fields.number(at: start + 16, bytes: 8) : fields.word(at: start + 12),
      offset: try is64Bit ? fields.number(at: start + 24, bytes: 8) : fields.word(at: start + 16),
      size: try is64Bit ? fields.number(at: start + 32, bytes: 8) : fields.word(at: start + 20),
      link: try fields.word(at: start + (is64Bit ? 40 : 24)))
  }

  /// Looks into sections first: the segments of a `.debug` file lead to bytes that it doesn't have.
  private func buildID(_ sections: [Section]) throws(ObjectError) -> String? {
    for section in sections where section.type == Self.noteSection && section.name == ".note.gnu.build-id" {
      if let id = try note(at: section.offset, section.size) { return id }
    }
    guard sections.isEmpty else { return nil }
    let table = try is64Bit ? header.number(at: 32, bytes: 8) : header.word(at: 28)
    let entryBytes = try header.number(at: is64Bit ? 54 : 42, bytes: 2)
    let count = try header.number(at: is64Bit ? 56 : 44, bytes: 2)
    guard table != 0, count <= Self.maximumSegments, entryBytes == (is64Bit ? 56 : 32) else { return nil }
    let segments = try source.bytes(at: table, count: count * entryBytes, "the table of segments")
    for number in 0..<Int(count) {
      let start = number * Int(entryBytes)
      guard try segments.word(at: start) == Self.noteSegment else { continue }
      let offset = try is64Bit ? segments.number(at: start + 8, bytes: 8) : segments.word(at: start + 4)
      let size = try is64Bit ? segments.number(at: start + 32, bytes: 8) : segments.word(at: start + 16)
      if let id = try note(at: offset, size) { return id }
    }
    return nil
  }

  /// Returns the GNU build ID in a list of notes.
  private func note(at offset: UInt64, _ size: UInt64) throws(ObjectError) -> String? {
    guard size <= Self.maximumNoteBytes else { return nil }
    let notes = try source.bytes(at: offset, count: size, "the build identifier")
    var position = 0
    while position + 12 <= notes.bytes.count {
      let (nameBytes, textBytes) = (Int(try notes.word(at: position)), Int(try notes.word(at: position + 4)))
      let type = try notes.word(at: position + 8)
      guard nameBytes <= Self.maximumNoteBytes, textBytes <= Self.maximumNoteBytes else { return nil }
      let text = position + 12 + (nameBytes + 3) / 4 * 4
      let isGNU = notes.text(at: UInt64(position + 12), limit: 4) == "GNU" && nameBytes == 4
      if isGNU, type == Self.gnuBuildID, (4...64).contains(textBytes) {
        return notes.hexadecimal(at: text, count: textBytes)
      }
      position = text + (textBytes + 3) / 4 * 4
    }
    return nil
  }

  private func architecture() throws(ObjectError) -> String {
    let names: [UInt64: String] = [3: "i386", 40: "arm", 62: "x86_64", 183: "arm64", 243: "riscv", 258: "loongarch"]
    let machine = try header.number(at: 18, bytes: 2)
    return names[machine] ?? "machine \(machine)"
  }
}
