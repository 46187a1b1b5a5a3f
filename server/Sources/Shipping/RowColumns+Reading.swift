import ClickHouse
import Ingest
package import Warehouse

extension RowColumns {
  /// Calls `body` with each row, in the order of the columns.
  ///
  /// - Throws: `ClickHouseError` with code `damaged` for values that no row has, and the errors of `body`.
  package func forEach(_ body: (StoredRow) throws -> Void) throws {
    var reader = RowColumnsReader(columns)
    for _ in 0..<rows { try body(try reader.next()) }
  }
}

/// Makes stored rows from columns, in the order in which ``RowColumns`` fills them.
private struct RowColumnsReader {
  private var columns: [NativeColumnReader]
  /// The column to be read next.
  private var column = 0

  init(_ columns: [NativeColumn]) { self.columns = columns.map { NativeColumnReader($0) } }

  mutating func next() throws(ClickHouseError) -> StoredRow {
    column = 0
    let (id, app, day) = (try integer(), try integer(), try integer())
    let (time, received) = (try integer(), try integer())
    let (kindName, flags) = (try text(), try integer())
    let kind = StoredKind(rawValue: Int(flags & 15)) ?? .other
    guard id > 0, app > 0, kind.name == kindName else { throw damage() }
    let (name, nameID) = (try text(), try number())
    let (install, slot) = (try text(), try slot())
    let (session, user, userNumber) = (try integer(), try text(), try userNumber())
    let (hasKey, key) = (try flag(), DuplicateKey(milliseconds: try integer(), hash: try integer()))
    let device = try device()
    let (properties, parameters) = (try properties(), try parameters())
    let (error, attachment) = (try error(), try attachment())
    return StoredRow(
      id: id, app: app, day: Int(day), time: time, received: received, kind: kind, flags: flags, name: name,
      nameID: nameID, install: install, slot: slot, session: session, user: user, userNumber: userNumber,
      key: hasKey ? key : nil, device: device, properties: properties, parameters: parameters, error: error,
      attachment: attachment)
  }

  private mutating func device() throws(ClickHouseError) -> StoredRow.Device {
    let id = try number()
    var facts = IncomingDevice()
    var labels = DeviceLabels(facts)
    (labels.version, labels.system, labels.language) = (try text(), try text(), try text())
    (facts.model, facts.country) = (try text(), try text())
    (facts.osName, facts.osVersion) = (try text(), try text())
    facts.locale = try text()
    (facts.appVersion, facts.appBuild) = (try text(), try text())
    (facts.sdkName, facts.sdkVersion) = (try text(), try text())
    facts.timeZoneOffsetMinutes = Int(try integer())
    var texts: [Int64] = []
    for _ in 0..<(try elements()) { texts.append(try number(next: false)) }
    column += 1
    guard texts.count == 12 || texts.isEmpty else { throw damage() }
    return StoredRow.Device(id: id, facts: facts, labels: labels, texts: texts)
  }

  private mutating func properties() throws(ClickHouseError) -> [StoredRow.Property] {
    let names = try texts()
    var numbers: [Int64] = []
    for _ in 0..<(try elements()) { numbers.append(try number(next: false)) }
    column += 1
    var types: [UInt8] = []
    for _ in 0..<(try elements()) { types.append(UInt8(truncatingIfNeeded: try integer(next: false))) }
    column += 1
    let values = try texts()
    guard names.count == numbers.count, names.count == types.count, names.count == values.count else { throw damage() }
    return names.indices.map {
      StoredRow.Property(name: names[$0], nameID: numbers[$0], type: types[$0], value: values[$0])
    }
  }

  private mutating func parameters() throws(ClickHouseError) -> [HitParameter]? {
    let (isThere, names, values) = (try flag(), try texts(), try texts())
    guard names.count == values.count, isThere || names.isEmpty else { throw damage() }
    return isThere ? zip(names, values).map { HitParameter(name: $0, value: $1) } : nil
  }

  private mutating func error() throws(ClickHouseError) -> StoredRow.ErrorDetails? {
    var error = StoredRow.ErrorDetails()
    error.id = try text()
    error.group = try number()
    (error.type, error.place) = (try text(), try text())
    error.fingerprint = try integer()
    (error.message, error.stack) = (try text(), try text())
    error.raw = try bytes()
    error.hasTexts = try flag()
    return error.group == 0 ? nil : error
  }

  private mutating func attachment() throws(ClickHouseError) -> StoredRow.Attachment? {
    var attachment = StoredRow.Attachment()
    (attachment.error, attachment.id) = (try text(), try text())
    (attachment.file, attachment.contentType) = (try text(), try text())
    (attachment.part, attachment.parts) = (try number(), try number())
    attachment.data = try bytes()
    return attachment.parts == 0 ? nil : attachment
  }

  // MARK: Values

  private mutating func bytes() throws(ClickHouseError) -> [UInt8] {
    guard let bytes = columns[column].bytes() else { throw damage() }
    column += 1
    return bytes
  }

  private mutating func integer(next: Bool = true) throws(ClickHouseError) -> Int64 {
    guard let number = columns[column].number() else { throw damage() }
    if next { column += 1 }
    return Int64(bitPattern: number)
  }

  /// A number of the dictionary, a device or a group.
  private mutating func number(next: Bool = true) throws(ClickHouseError) -> Int64 {
    let number = try integer(next: false)
    // Home counts on from the highest one.
    guard (0...1 << 53).contains(number) else { throw damage() }
    if next { column += 1 }
    return number
  }

  private mutating func slot() throws(ClickHouseError) -> UInt32 {
    guard let slot = UInt32(exactly: try integer(next: false)) else { throw damage() }
    column += 1
    return slot
  }

  private mutating func userNumber() throws(ClickHouseError) -> UInt32? {
    let number = try number(next: false)
    guard number <= Int64(UInt32.max) + 1 else { throw damage() }
    column += 1
    return number == 0 ? nil : UInt32(number - 1)
  }

  private mutating func flag() throws(ClickHouseError) -> Bool {
    let number = try integer(next: false)
    guard number == 0 || number == 1 else { throw damage() }
    column += 1
    return number == 1
  }

  private mutating func text(next: Bool = true) throws(ClickHouseError) -> String {
    guard let text = columns[column].text() else { throw damage() }
    if next { column += 1 }
    return text
  }

  private mutating func texts() throws(ClickHouseError) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try elements()) { texts.append(try text(next: false)) }
    column += 1
    return texts
  }

  /// The number of elements in the row of the array column to be read next.
  private mutating func elements() throws(ClickHouseError) -> Int {
    guard let count = columns[column].elements() else { throw damage() }
    return count
  }

  private func damage() -> ClickHouseError {
    let columns = ClusterSchema.rowColumns + ClusterSchema.errorColumns
    return ClickHouseError(
      .damaged, "A row of the cluster has a value in column \(columns[column].name) that no row has.")
  }
}
