import ServerBase
import Warehouse

extension KeyRun {
  /// Reads a file in parts, without mapping it; throws if it is damaged.
  ///
  /// - Parameter step: Called after each part with its number of bytes.
  package static func check(_ path: String, step: (Int) throws -> Void) throws {
    let size = try CopiedFile.size(path)
    var header: Header?
    var hash = BodyHash()
    try CopiedFile.read(path, bytes: size) { part in
      if header == nil {
        guard part.count >= pageSize else { throw damage(path) }
        let first = part.loadUnaligned(as: Header.self)
        guard first.isValid, first.fileSize == size else { throw damage(path) }
        header = first
        hash.add(UnsafeRawBufferPointer(rebasing: part[pageSize...]))
      } else {
        hash.add(part)
      }
      try step(part.count)
    }
    guard let header, hash.value == header.body else { throw damage(path) }
  }
}
