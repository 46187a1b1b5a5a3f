import Warehouse
import WarehouseSQLite

/// The person whose rows an export has.
struct ExportedPerson {
  /// The install; `nil` for a user.
  private var slot: UInt32?
  /// The user and those whom aliases join with them, in UTF-8.
  private var users: [[UInt8]] = []
  /// The installs that aliases join with the user: their rows without a user are the person's.
  private var joinedSlots: [UInt32] = []

  /// - Throws: ``WarehouseError`` with code `invalid` if the app has no data of the person.
  init(_ person: Person, joined identifiers: [String]?, app: Int64, _ connection: SQLConnection) throws {
    switch person {
    case .install(let name):
      slot = try WriterInstalls.storedSlot(app: app, install: name, connection)
      guard slot != nil else { throw WarehouseError(.invalid, "The app has no data of the install \"\(name)\".") }
    case .user(let name):
      if let identifiers {
        joinedSlots = try IdentifierLookup(app: app, connection).installs(of: identifiers)
      } else if try !connection.prepare("SELECT 1 FROM member WHERE app = ? AND name = ?").bind(app, name).exists() {
        throw WarehouseError(.invalid, "The app has no data of the user \"\(name)\".")
      }
      users = (identifiers ?? [name]).map { Array($0.utf8) }
    }
  }

  /// True if a row is the person's.
  @inline(__always)
  func has(slot: UInt32, user: some Collection<UInt8>) -> Bool {
    if let own = self.slot { return slot == own }
    return user.isEmpty ? joinedSlots.contains(slot) : users.contains { user.elementsEqual($0) }
  }
}
