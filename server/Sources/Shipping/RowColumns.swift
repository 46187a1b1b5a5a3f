import ClickHouse
import Ingest
import ServerBase
import TernEvents
package import Warehouse

/// Rows as the columns of ``ClusterSchema``.
package struct RowColumns: Sendable {
  /// The size at which a unit ends early, so that hostile rows don't take all memory.
  static let maximumBytes = 64 << 20

  private(set) var columns: [NativeColumn]
  private(set) var ids: [Int64] = []
  /// The time at which the first row was received, in milliseconds since 1970.
  private(set) var firstReceived: Int64 = 0
  /// The rows whose text or attachment has made room for newer ones, or isn't copied. A cluster may still have these texts.
  private(set) var reducedRows: Set<Int64> = []
  private var next = 0

  package init() {
    columns = (ClusterSchema.rowColumns + ClusterSchema.errorColumns).map { NativeColumn($0.name, $0.type) }
  }

  /// The rows of a block that a server has sent.
  init?(_ block: NativeBlock) {
    columns = (ClusterSchema.rowColumns + ClusterSchema.errorColumns).compactMap { column in
      block[column.name].flatMap { $0.type == column.type ? $0 : nil }
    }
    guard columns.count == ClusterSchema.rowColumns.count + ClusterSchema.errorColumns.count else { return nil }
    ids = columns[0].numbers.map { Int64(bitPattern: $0) }
  }

  package var rows: Int { ids.count }
  /// The size as sent, without compression.
  package private(set) var byteCount = 0
  /// True if there should be no more rows.
  var isFull: Bool { byteCount >= Self.maximumBytes }

  /// Adds a row; returns false once there should be no more.
  package mutating func add(_ row: StoredRow, takesAttachment: Bool = true) -> Bool {
    let attachment = takesAttachment ? row.attachment : nil
    if ids.isEmpty { firstReceived = row.received }
    ids.append(row.id)
    next = 0
    put(row.id)
    put(row.app)
    put(Int64(clamped(row.day, 0...65_535)))
    put(row.time)
    put(row.received)
    put(row.kind.name)
    put(row.flags)
    put(row.name)
    put(row.nameID)
    put(row.install)
    put(Int64(row.slot))
    put(row.session)
    put(row.user)
    put(row.userNumber.map { Int64($0) + 1 } ?? 0)
    put(row.key == nil ? 0 : 1)
    put(row.key?.milliseconds ?? 0)
    put(row.key?.hash ?? 0)
    add(row.device)
    put(row.properties.lazy.map(\.name))
    put(row.properties.lazy.map(\.nameID))
    put(row.properties.lazy.map { Int64($0.type) })
    put(row.properties.lazy.map(\.value))
    let parameters = row.parameters ?? []
    put(row.parameters == nil ? 0 : 1)
    put(parameters.lazy.map(\.name))
    put(parameters.lazy.map(\.value))
    add(row.error ?? StoredRow.ErrorDetails())
    add(attachment ?? StoredRow.Attachment())
    if row.error?.hasTexts == false || attachment == nil && row.kind.mayHaveAttachment {
      reducedRows.insert(row.id)
    }
    return !isFull
  }

  private mutating func add(_ device: StoredRow.Device) {
    put(device.id)
    let facts = device.facts
    for text in [
      device.labels.version, device.labels.system, device.labels.language, facts.model, facts.country, facts.osName,
      facts.osVersion, facts.locale, facts.appVersion, facts.appBuild, facts.sdkName, facts.sdkVersion,
    ] { put(text) }
    put(Int64(facts.timeZoneOffsetMinutes))
    put(device.texts)
  }

  private mutating func add(_ error: StoredRow.ErrorDetails) {
    put(error.id)
    put(error.group)
    put(error.type)
    put(error.place)
    put(error.fingerprint)
    put(error.message)
    put(error.stack)
    put(error.raw)
    put(error.hasTexts ? 1 : 0)
  }

  private mutating func add(_ attachment: StoredRow.Attachment) {
    put(attachment.error)
    put(attachment.id)
    put(attachment.file)
    put(attachment.contentType)
    put(attachment.part)
    put(attachment.parts)
    put(attachment.data)
  }

  private mutating func put(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { columns[next].append(bytes: $0) }
    byteCount += bytes.count + 1
    next += 1
  }

  private mutating func put(_ number: Int64) {
    columns[next].append(number)
    byteCount += 8
    next += 1
  }

  private mutating func put(_ text: String) {
    columns[next].append(text: text)
    byteCount += text.utf8.count + 1
    next += 1
  }

  private mutating func put(_ numbers: some Sequence<Int64>) {
    for number in numbers {
      columns[next].append(number)
      byteCount += 8
    }
    columns[next].endRow()
    next += 1
  }

  private mutating func put(_ texts: some Sequence<String>) {
    for text in texts {
      columns[next].append(text: text)
      byteCount += text.utf8.count + 1
    }
    columns[next].endRow()
    next += 1
  }

  /// The rows with their hashes; ask for it after the last row was added.
  package var hashed: HashedRows { HashedRows(self) }

  /// Returns the first day of a time's month in UTC, in days since 1970.
  static func month(of milliseconds: Int64) -> Int {
    let day = Day(number: clamped(Int(flooredQuotient(milliseconds, 86_400_000)), 0...65_535))
    return day.number - (day.components.day - 1)
  }
}

private func clamped(_ number: Int, _ range: ClosedRange<Int>) -> Int {
  min(max(number, range.lowerBound), range.upperBound)
}

extension StoredKind {
  /// True if an event of this kind may bring an attachment or a piece of one.
  fileprivate var mayHaveAttachment: Bool { self == .attachment || self == .attachmentPart }
}
