import Foundation
import Ingest
import Warehouse

@testable import RowFiles

extension FuzzTarget {
  /// Runs of duplicate keys: five numbers of the header, and the keys, fences and filter. The checksums are made right.
  static var keys: FuzzTarget {
    let directory = "\(WarehouseCheck.directory)/keys"
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return FuzzTarget { input in
      guard input.count >= 40 else { return }
      let numbers = (0..<5).map { input.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }
      var header = KeyRun.Header(after: numbers[0], through: numbers[1], received: numbers[2])
      (header.count, header.filterBlocks) = (Int(numbers[3]), Int(numbers[4]))
      let body = UnsafeRawBufferPointer(rebasing: input[40...])
      let whole = UnsafeRawBufferPointer(rebasing: body.prefix(body.count & ~7))
      read(header, whole, directory)
      // The numbers of keys and filters that this body has room for.
      header.filterBlocks = KeyFilter.blocks(for: whole.count / 64)
      header.count = max((whole.count - header.filterBlocks * 64 - 8) / 16, 0)
      let size = header.fileSize - KeyRun.pageSize
      if size <= whole.count { read(header, UnsafeRawBufferPointer(rebasing: whole.prefix(size)), directory) }
    }
  }

  private static func read(_ header: KeyRun.Header, _ body: UnsafeRawBufferPointer, _ directory: String) {
    var header = header
    var hash = KeyRun.BodyHash()
    hash.add(body)
    header.body = hash.value
    header.check = header.expectedCheck
    var file = withUnsafeBytes(of: header) { Array($0) }
    file += [UInt8](repeating: 0, count: KeyRun.pageSize - file.count)
    file += body
    let path = "\(directory)/run.keys"
    _ = FileManager.default.createFile(atPath: path, contents: Data(file))
    do {
      let run = try KeyRun(path: path)
      try run.checkBody()
      let times: [Int64] = [.min, -1, 0, 1_770_033_600_000, .max]
      for time in times + (0..<min(run.reader.count, 100)).map({ run.reader.keys[$0].milliseconds }) {
        let key = DuplicateKey(milliseconds: time, hash: 7)
        _ = run.reader.contains(key, key.mixedHash)
        _ = run.reader.mayContain(time...(.max))
      }
    } catch let error as WarehouseError where error.code == .damaged {
      return
    } catch {
      fatalError("\(error)")
    }
  }
}
