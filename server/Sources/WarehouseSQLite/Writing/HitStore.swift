import Ingest
import Views
import Warehouse

/// The store of hit parameters, written in the same transaction as their events.
///
/// They are not properties, so that the protocol's thousands of parameter names don't enter the property counts.
final class HitStore {
  private let connection: SQLConnection
  private var inserts: [Int: SQLStatement] = [:]
  private var scratch: [UInt8] = []

  init(_ connection: SQLConnection) { self.connection = connection }

  func forget() { inserts = [:] }

  /// Stores the parameters of the hit whose event is `row`.
  func add(_ parameters: [HitParameter], _ row: EventRow) throws {
    let month = EventTables.month(of: row.time, received: row.time + row.lag)
    let insert = try inserts[month] ?? open(month)
    scratch.removeAll(keepingCapacity: true)
    for parameter in parameters {
      scratch.append(text: parameter.name)
      scratch.append(text: parameter.value)
    }
    insert.bind(row.id, at: 1)
    insert.bind(scratch, at: 2)
    try insert.run()
  }

  private func open(_ month: Int) throws -> SQLStatement {
    try connection.execute(WarehouseSchema.createHits(month: month))
    let insert = try connection.prepare("INSERT INTO \(WarehouseSchema.hits(month)) VALUES (?, ?)")
    inserts[month] = insert
    return insert
  }

  /// Decodes stored parameters.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [HitParameter] {
    var reader = ByteReader(bytes)
    var parameters: [HitParameter] = []
    while !reader.isAtEnd {
      guard let name = reader.text(), let value = reader.text() else { break }
      parameters.append(HitParameter(name: name, value: value))
    }
    return parameters
  }
}
