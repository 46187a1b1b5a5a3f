import TernBase

/// The facts about a file with symbols: an ELF file, or one architecture of a Mach-O file.
///
/// Only what is needed to find the file again is read; the symbols are read by another process (``SymbolizerProcess``).
package struct ObjectFile: Sendable, Hashable {
  /// The build identifier in lowercase hexadecimal digits: the GNU build ID, or the UUID of a Mach-O file.
  package var buildID: String
  /// The processor, such as `x86_64`.
  package var architecture: String
  /// True if the file has debug information, and not only a symbol table.
  package var hasLines: Bool
  /// The address of the text segment from which frames count; 0 for ELF, where they count from address 0.
  package var textAddress: UInt64
  /// The addresses between which all of its code is; `nil` if it says nothing about that.
  package var code: Range<UInt64>?
  /// Its bytes in the file: all of them, unless the file has several architectures.
  package var range: Range<Int>
  /// The list of the starts of its functions, counted from the start of `range`; `nil` if it has none.
  package var functions: FunctionTable?
  /// True if its functions are in other files, so that a line of an inlined one would be shown beside another function.
  package var isSplit = false
  /// The reason why stacks will lack something, and what to do; `nil` if they won't.
  package var warning: String?

  static let splitWarning =
    "Its debug information is in .dwo files, which aren't read: stacks will have functions, but no lines. Build it with "
    + "-gno-split-dwarf and upload it again."
  static let sharedWarning =
    "Some names are in another file, to which dwz -m has moved them: frames there will have lines, but no functions. "
    + "Upload the file as it was before dwz."

  /// Returns true if a file begins like one that ``read(_:)`` takes.
  static func isObject(_ magic: [UInt8]) -> Bool {
    magic == [0x7F, 0x45, 0x4C, 0x46] || [[0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE]].contains(magic)
      || [[0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF]].contains(magic)
  }

  /// Reads a file; throws ``ObjectError`` unless all of its architectures can be used.
  package static func read(_ source: ObjectSource) throws(ObjectError) -> [ObjectFile] {
    guard source.count >= 4 else { throw .notSymbols }
    let magic = try source.bytes(at: 0, count: 4, "its header").bytes
    switch magic {
    case [0x7F, 0x45, 0x4C, 0x46]: return [try ELFReader(source).file()]
    case [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE]:
      return [try MachOReader(source, range: 0..<source.count).file()]
    case [0xFE, 0xED, 0xFA, 0xCF], [0xFE, 0xED, 0xFA, 0xCE]: throw .unsupported("Big-endian Mach-O")
    case [0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF]:
      return try MachOReader.universal(source, has64BitTable: magic[3] == 0xBF)
    default: throw .notSymbols
    }
  }

  /// A name from a client, as one line of at most 255 bytes.
  static func name(_ text: String) -> String {
    let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
    let visible = text.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }
    return String(String.UnicodeScalarView(visible)).prefix(utf8Bytes: 255)
  }

  /// Includes a part of the code, with a size from the file.
  mutating func addCode(at address: UInt64, count: UInt64) {
    let (end, isTooLarge) = address.addingReportingOverflow(count)
    guard count > 0, !isTooLarge else { return }
    code = min(code?.lowerBound ?? address, address)..<max(code?.upperBound ?? end, end)
  }
}
