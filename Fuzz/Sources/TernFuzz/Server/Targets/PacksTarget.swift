import ServerBase
import Warehouse

@testable import WarehouseSQLite

extension FuzzTarget {
  /// Packs of property values, alone and merged with each other: a byte with the share of the first, and both.
  static var packs: FuzzTarget {
    FuzzTarget { input in
      guard let first = input.first else { return }
      let bytes = input.dropFirst()
      let place = bytes.startIndex + bytes.count * Int(first) / 256
      let left = UnsafeRawBufferPointer(rebasing: bytes[..<place])
      let right = UnsafeRawBufferPointer(rebasing: bytes[place...])
      do {
        try read(left)
        try read(right)
        let merged = try PropertyPack.merged(left, right)
        try merged.withUnsafeBytes { try read($0) }
      } catch let error as WarehouseError where error.code == .damaged {
        return
      } catch {
        fatalError("\(error)")
      }
    }
  }

  private static func read(_ pack: UnsafeRawBufferPointer) throws {
    try PropertyPack.forEach(pack) { entry in
      if let value = entry.value { _ = PropertyText.text(value) }
      _ = try SlotSet.stored(entry.slots).count
    }
  }
}
