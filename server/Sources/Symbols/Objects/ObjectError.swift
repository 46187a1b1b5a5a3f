/// The reason why a file can't be used as symbols.
package struct ObjectError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of reasons.
  package enum Code: String, Sendable {
    /// The file is neither ELF nor Mach-O.
    case notSymbols = "not_symbols"
    /// The file is of a kind that is not supported, such as big-endian ELF.
    case unsupported
    /// The file has no build identifier.
    case noBuildID = "no_build_id"
    /// The file has neither debug information nor a symbol table.
    case stripped
    /// The file has debug information in a form that not every tool reads.
    case unreadable
    /// Positions in the file contradict each other or its size.
    case damaged
    /// The file is no mapping of R8 or ProGuard.
    case notMapping = "not_mapping"
    /// The archive has no files with symbols.
    case noSymbols = "no_symbols"
    /// The archive has too many files, or too large ones.
    case tooManyFiles = "too_many_files"
  }

  package let code: Code
  /// The reason, and what to do.
  package let message: String
  package var description: String { message }

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  static let notSymbols = ObjectError(
    .notSymbols,
    "This is no file with symbols. Upload an ELF executable, library or .debug file, or the Mach-O file in a "
      + "dSYM's Contents/Resources/DWARF; or R8's mapping.txt, with version and build of the app.")

  static let notMapping = ObjectError(
    .notMapping,
    "This is no mapping of R8 or ProGuard. Upload the mapping.txt of this version and build, unpacked (by HTTP also with "
      + "Content-Encoding: gzip); other files with symbols need neither version nor build.")

  static func unsupported(_ kind: String) -> ObjectError {
    ObjectError(.unsupported, "\(kind) is not supported. Upload little-endian ELF or Mach-O.")
  }

  static let unlinked = ObjectError(
    .unsupported, "This object file isn't linked. Upload the executable or library that contains it.")

  static let noBuildID = ObjectError(
    .noBuildID,
    "The file has no build identifier, by which crashes name it. Link the program with --build-id and upload "
      + "the file of the same build.")

  static let stripped = ObjectError(
    .stripped,
    "The file has neither debug information nor a symbol table. Upload the file as it was before it was "
      + "stripped, its .debug file, or the dSYM.")

  static let unreadable = ObjectError(
    .unreadable,
    "Its debug information is compressed in a form that llvm-symbolizer may not read. Recompress the file with "
      + "objcopy --compress-debug-sections=zlib, or build it without compression, and upload it again.")

  static let splitPart = ObjectError(
    .unreadable,
    "This .dwo or .dwp file is a part of a program's debug information, which isn't read. Build the program with "
      + "-gno-split-dwarf and upload that.")

  static let noSymbolsInArchive = ObjectError(
    .noSymbols,
    "The archive has no files with symbols. Upload the dSYMs, or programs and libraries before they are stripped.")

  static let tooManyFiles = ObjectError(
    .tooManyFiles, "The archive has too many files, or too large ones. Upload the dSYMs alone, or in several archives.")

  static let strippedMachO = ObjectError(
    .stripped,
    "The file is stripped: it has names for few of its functions only. Upload the dSYM of the same build.")

  static func damaged(_ part: String) -> ObjectError {
    ObjectError(.damaged, "The file is damaged or incomplete: \(part). Upload it again.")
  }
}
