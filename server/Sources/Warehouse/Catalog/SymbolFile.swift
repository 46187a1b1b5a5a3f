package import TernEvents

/// A file with the symbols of one build of an executable or library, which turn positions into functions and lines, or the mapping
/// with the names of an app's build.
package struct SymbolFile: Sendable, Hashable {
  package var app: AppID
  /// The build identifier in lowercase hexadecimal digits without dashes, or the app's version and build of a mapping, which are
  /// never such digits; an app has one file of each.
  package var buildID: String
  /// The processor, such as `x86_64`, or ``mapping``.
  package var architecture: String
  /// The name of the executable or library, as its uploader named it.
  package var image: String
  /// The SHA-256 of the file in hexadecimal digits, which is its name in the data directory.
  package var hash: String
  /// The size of the file in bytes.
  package var bytes: Int
  /// True if the file has lines, and not only functions.
  package var hasLines: Bool
  /// The address of the text segment from which frames count; 0 for ELF.
  package var textAddress: UInt64
  /// The name of the account or token that uploaded it.
  package var author: String
  /// The time of the upload.
  package var uploaded: Timestamp

  /// Creates the facts about a file.
  package init(
    app: AppID, buildID: String, architecture: String, image: String, hash: String, bytes: Int, hasLines: Bool,
    textAddress: UInt64, author: String, uploaded: Timestamp
  ) {
    self.app = app
    self.buildID = buildID
    self.architecture = architecture
    self.image = image
    self.hash = hash
    self.bytes = bytes
    self.hasLines = hasLines
    self.textAddress = textAddress
    self.author = author
    self.uploaded = uploaded
  }

  /// The architecture of a mapping of R8 or ProGuard.
  package static let mapping = "mapping"
  /// True for a mapping of R8 or ProGuard.
  package var isMapping: Bool { architecture == Self.mapping }

  /// The suffix of files that are being received.
  package static let incompleteSuffix = ".new"

  /// The result of storing a file.
  package enum Addition: String, Sendable, CaseIterable {
    /// The app had no symbols of the build.
    case new
    /// The app had others of the build, which this file replaces.
    case replaced
    /// The app has this file, or symbols with lines, which this file lacks.
    case known
  }
}

/// The files with symbols in a data directory.
package protocol SymbolCatalog: Sendable {
  /// Returns an app's files, the latest first.
  func symbols(app: AppID) throws -> [SymbolFile]
  /// Returns an app's files of some builds.
  func symbols(app: AppID, buildIDs: Set<String>) throws -> [SymbolFile]
  /// Takes a file into the directory and deletes those of the app that have no room beside it, the oldest first.
  ///
  /// - Parameter path: The file in the same file system. It is moved away unless it is known.
  /// - Throws: ``WarehouseError`` with code `unknownApp` if the app doesn't exist.
  func addSymbols(_ file: SymbolFile, from path: String) throws -> SymbolFile.Addition
  /// Deletes the file of a build. Returns false if the app has none.
  func removeSymbols(app: AppID, buildID: String) throws -> Bool
  /// The path of a file with a hash.
  func symbolPath(hash: String) -> String
}
