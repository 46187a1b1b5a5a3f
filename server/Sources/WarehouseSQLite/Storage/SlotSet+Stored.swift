import ServerBase
import Warehouse

extension SlotSet {
  /// Decodes a set as the database has it.
  static func stored(_ bytes: UnsafeRawBufferPointer) throws -> SlotSet {
    var reader = ByteReader(bytes)
    guard let set = SlotSet.decode(&reader) else {
      throw WarehouseError(.damaged, "A stored user set is damaged. Stop the server and run `tern rebuild`.")
    }
    return set
  }
}
