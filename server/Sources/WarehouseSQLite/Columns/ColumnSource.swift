import Columns
import Ingest
import Questions
package import RowFiles
import ServerBase
package import TernBase
import TernEvents
import Warehouse

/// Adds stored rows to chunks of columns, app by app.
package final class ColumnSource {
  private let lookups: Locked<RowLookups>

  package init(_ lookups: Locked<RowLookups>) { self.lookups = lookups }

  /// Adds the row that a scan has just returned, if questions see it.
  package func add(_ row: EventRow, _ scan: EventScan, to columns: AppColumns) throws {
    guard let kind = QuestionKind(row.flags.kind) else { return }
    InjectedFault.columns.trap(scan.userBytes)
    let name = kind == .event || kind == .screen ? try self.name(row, scan, columns) : nil
    let user = scan.userBytes.isEmpty ? 0 : try self.user(scan.userBytes, columns)
    let stored = ChunkBuilder.Row(
      id: row.id, time: row.time, momentInMillisecond: row.flags.momentInMillisecond, kind: kind,
      startsSession: row.flags.startsSession, slot: row.slot,
      user: user, session: columns.session(of: row), device: row.device)
    try columns.builder.append(stored, name: name) { try lookups.withLock { try $0.device(row.device) } }
    if kind != .other {
      try addProperties(scan.properties, columns)
    } else if let identifier = try scan.alias(of: row, isAlias: { try text($0) == AliasRecord.name }) {
      columns.builder.add(alias: identifier)
    }
  }

  private func name(_ row: EventRow, _ scan: EventScan, _ columns: AppColumns) throws -> UInt32 {
    // A name without an ID is in the row itself.
    if row.name == 0, let own = PropertyCoding.eventName(scan.properties) { return columns.builder.text(own) }
    return try columns.text(row.name) { try text($0) }
  }

  private func user(_ bytes: UnsafeRawBufferPointer, _ columns: AppColumns) throws -> UInt32 {
    if columns.lastUser.bytes.elementsEqual(bytes) { return columns.lastUser.number }
    let name = String(decoding: bytes, as: UTF8.self)
    guard let number = try lookups.withLock({ try $0.user(name, app: columns.app) }) else {
      throw WarehouseError(
        .damaged, "A user of app \(columns.app) has no number. Restore the data directory from a backup."
      )
    }
    columns.lastUser = (Array(bytes), number + 1)
    return number + 1
  }

  private func text(_ id: Int64) throws -> String { try lookups.withLock { try $0.text(id) } }

  private func addProperties(_ bytes: UnsafeRawBufferPointer, _ columns: AppColumns) throws {
    let builder = columns.builder
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let id = reader.varint() else { return }
      let own = id == 0 ? counted(&reader) : nil
      guard let byte = reader.byte(), let tag = PropertyCoding.Tag(rawValue: byte), tag != .eventName else { return }
      let name =
        try own.map { builder.text($0) } ?? columns.text(Int64(bitPattern: id)) { try text($0) }
      switch tag {
      case .string:
        guard let text = counted(&reader) else { return }
        builder.add(name, text: builder.text(text))
      case .integer:
        guard let number = reader.zigzag() else { return }
        builder.add(name, number: Double(number))
      case .double:
        guard let bits = reader.bytes(8) else { return }
        builder.add(name, number: Double(bitPattern: UInt64(littleEndian: bits.loadUnaligned(as: UInt64.self))))
      case .no: builder.add(name, text: builder.text("false"))
      case .yes: builder.add(name, text: builder.text("true"))
      case .date:
        guard let time = reader.zigzag() else { return }
        builder.add(
          name, text: builder.text(Timestamp(millisecondsSince1970: time).utcText(withMilliseconds: true)))
      case .eventName: return
      }
    }
  }

  private func counted(_ reader: inout ByteReader) -> UnsafeRawBufferPointer? {
    reader.varint().flatMap { reader.bytes(Int(clamping: $0)) }
  }
}
