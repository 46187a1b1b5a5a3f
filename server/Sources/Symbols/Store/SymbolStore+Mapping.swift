import ErrorGrouping
package import Warehouse

/// An app's version and build, whose names a mapping has.
package struct MappedBuild: Hashable, Sendable {
  /// Both as one text, `1.2 (34)`, in place of a build identifier.
  package let name: String

  /// - Throws: ``WarehouseError`` with code `invalid` unless both are known.
  package init(version: String, build: String) throws(WarehouseError) {
    name = appBuildName(version: version, build: build)
    guard !name.isEmpty else {
      throw WarehouseError(
        .invalid,
        "A mapping needs the app's version and build: on Android, those are versionName and versionCode.")
    }
  }
}

extension SymbolStore {
  /// The most bytes of a mapping.
  static let maximumMappingBytes = 256 << 20

  static func checkMappingSize(_ bytes: Int) throws(WarehouseError) {
    guard bytes <= maximumMappingBytes else {
      throw WarehouseError(.invalid, "A mapping can have at most \(maximumMappingBytes >> 20) MiB.")
    }
  }

  /// Stores a mapping of R8 or ProGuard.
  ///
  /// - Throws: ``ObjectError`` if it is none, ``WarehouseError`` if it is too large or can't be stored.
  func storeMapping(
    _ file: ReceivedFile, of build: MappedBuild, app: AppID, image: String
  ) throws -> StoredSymbols {
    try Self.checkMappingSize(file.bytes)
    let index = try MappingIndex(file.source)
    let object = ObjectFile(
      buildID: build.name, architecture: SymbolFile.mapping, hasLines: index.hasLines, textAddress: 0, code: nil,
      range: 0..<file.bytes, functions: nil)
    return try store(file, object, app: app, image: image)
  }
}
