import Columns
import Ingest
import TernBase
import Warehouse

/// The names, devices and users to which rows refer by number.
///
/// Several threads use one object, and its connection, in turn: wrap it in a lock. What they find, they keep, so they
/// seldom wait for each other.
package final class RowLookups {
  package let connection: SQLConnection
  private let dictionary: ReaderDictionary
  private let devices: StoredDevices
  private let loadDevice: SQLStatement
  private var users: [Int64: ReaderUsers] = [:]

  package init(_ connection: SQLConnection, dictionary: ReaderDictionary) throws {
    // Statements that GRDB keeps belong to one thread.
    let connection = SQLConnection(handle: connection.handle)
    self.connection = connection
    self.dictionary = dictionary
    devices = try StoredDevices(connection)
    loadDevice = try connection.prepare("SELECT facts FROM device WHERE id = ?")
  }

  /// Returns the text of a name.
  func text(_ id: Int64) throws -> String { try dictionary.text(id, connection) }

  /// Returns the keys under which a device's rows are counted.
  package func deviceKeys(_ id: Int64) throws -> DeviceKeys { try devices.keys(id: id) }

  /// Returns the facts of a device that questions know.
  func device(_ id: Int64) throws -> ChunkDevice {
    let device =
      try loadDevice.bind(id).first { row in
        try WriterDevices.decode(row.bytes(0)) { try dictionary.text($0, connection) }
      } ?? IncomingDevice()
    let labels = DeviceLabels(device)
    return ChunkDevice(
      version: labels.version, os: labels.system, model: device.model, country: device.country,
      language: labels.language)
  }

  /// Returns the number of a user, or `nil` if there is none.
  func user(_ name: String, app: Int64) throws -> UInt32? {
    let users = try users[app] ?? ReaderUsers(connection, app: AppID(app))
    self.users[app] = users
    return try users.number(name)
  }
}
