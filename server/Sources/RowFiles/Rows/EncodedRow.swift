import Ingest
import ServerBase
package import TernEvents
package import Warehouse

/// A row in the form in which segments have it: the way back of ``StoredRowReading``.
package struct EncodedRow {
  package let row: EventRow
  let user: String
  let properties: [UInt8]
  let parameters: [UInt8]?

  /// Encodes a row that was stored before, byte for byte as it was.
  ///
  /// - Throws: `WarehouseError` with code `damaged` for values that no stored row has.
  package init(_ stored: StoredRow) throws(WarehouseError) {
    guard stored.id > 0, TimeBounds.contains(stored.time), TimeBounds.contains(stored.received) else {
      throw Self.damage(stored.id)
    }
    row = EventRow(
      id: stored.id, app: stored.app, time: stored.time, lag: stored.received - stored.time, slot: stored.slot,
      device: stored.device.id, session: stored.session, flags: EventRow.Flags(rawValue: stored.flags),
      name: stored.nameID, key: stored.key)
    user = stored.user
    var properties: [UInt8] = []
    for property in stored.properties {
      guard let value = Self.value(property) else { throw Self.damage(stored.id) }
      PropertyCoding.append(name: property.name, id: UInt64(bitPattern: property.nameID), to: &properties)
      PropertyCoding.append(value, to: &properties)
    }
    if stored.nameID == 0, stored.name != Dimension.otherKey {
      PropertyCoding.append(eventName: stored.name, to: &properties)
    }
    self.properties = properties
    parameters = stored.parameters.map { HitCoding.encoded($0) }
  }

  package func append(to block: inout RowBlockWriter) {
    withUTF8(user) { user in
      properties.withUnsafeBytes { properties in
        guard let parameters else {
          return block.append(row, user: user, properties: properties, parameters: nil)
        }
        parameters.withUnsafeBytes { block.append(row, user: user, properties: properties, parameters: $0) }
      }
    }
  }

  /// Returns a text from which ``value(_:)`` reads the value again exactly.
  package static func text(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .double(let number): "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    case .date(let time): String(time.millisecondsSince1970)
    }
  }

  private static func value(_ property: StoredRow.Property) -> PropertyValue? {
    switch PropertyCoding.Tag(rawValue: property.type) {
    case .string: .string(property.value)
    case .integer: Int64(property.value).map { .integer($0) }
    case .double: Double(property.value).map { .double($0) }
    case .no: .boolean(false)
    case .yes: .boolean(true)
    case .date: Int64(property.value).map { .date(Timestamp(millisecondsSince1970: $0)) }
    case .eventName, nil: nil
    }
  }

  private static func damage(_ id: Int64) -> WarehouseError {
    WarehouseError(.damaged, "Row \(id) has values that no stored row has.")
  }
}
