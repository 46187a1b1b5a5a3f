import Foundation
import Symbols

/// A file to import, which may be compressed with gzip.
final class ImportFile {
  /// The compressed bytes to read at a time: few, because they can expand to a thousand times as many.
  private static let compressedBytes = 1 << 14
  private static let bytes = 1 << 20

  private let file: FileHandle
  private let inflater: GzipInflater?
  private var first: Data?

  /// Opens a file.
  init(_ path: String) throws {
    // A pipe or device could keep the server waiting.
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
    guard type == nil || type == .typeRegular else {
      throw ServerFailure("\(path) isn't a file. Use `tern import … -` to read standard input.")
    }
    guard let file = FileHandle(forReadingAtPath: path) else { throw ServerFailure("\(path) can't be opened.") }
    self.file = file
    let first = try file.read(upToCount: 2) ?? Data()
    // The magic number of gzip.
    inflater = first.elementsEqual([0x1F, 0x8B]) ? GzipInflater() : nil
    self.first = first
  }

  deinit { try? file.close() }

  /// Returns the next bytes, decompressed; none at the end.
  ///
  /// - Throws: `WarehouseError` with code `invalid` if the compressed data is damaged or incomplete.
  func read() throws -> [UInt8] {
    guard let inflater else { return [UInt8](try nextBytes(Self.bytes)) }
    var output: [UInt8] = []
    while output.isEmpty {
      let bytes = [UInt8](try nextBytes(Self.compressedBytes))
      guard !bytes.isEmpty else {
        try inflater.checkEnd()
        return []
      }
      try bytes.withUnsafeBytes { try inflater.inflate($0) { output += $0 } }
    }
    return output
  }

  private func nextBytes(_ count: Int) throws -> Data {
    if let first, !first.isEmpty {
      self.first = nil
      return first
    }
    return try file.read(upToCount: count) ?? Data()
  }

  /// Returns the files in a folder and its subfolders in the order of their paths, or the path itself if it is a file.
  ///
  /// Hidden files and links are left out.
  static func all(at path: String) throws -> [String] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ServerFailure("\(path) doesn't exist.")
    }
    guard isDirectory.boolValue else { return [path] }
    let keys: [URLResourceKey] = [.isRegularFileKey]
    let found = FileManager.default.enumerator(
      at: URL(filePath: path), includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
    var files: [String] = []
    while let file = found?.nextObject() as? URL {
      if try file.resourceValues(forKeys: Set(keys)).isRegularFile == true { files.append(file.path) }
    }
    return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
