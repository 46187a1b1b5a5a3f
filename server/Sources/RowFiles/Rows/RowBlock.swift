import Ingest
import ServerBase
import Warehouse

/// The stored form of rows that were committed together, about 37 bytes each.
///
/// A row begins with a byte of ``Marks`` and its flags. Only a row whose sender differs from that of the row before it
/// tells the sender; times are steps from the row before. A block can be read only from its start.
package enum RowBlock {
  /// The parts of a row that are or are not there.
  struct Marks: OptionSet {
    let rawValue: UInt8
    /// App, install, device, session and time of receipt are those of the row before.
    static let sameSender = Marks(rawValue: 1)
    static let hasUser = Marks(rawValue: 2)
    static let hasKey = Marks(rawValue: 4)
    /// The key's time is not the row's.
    static let hasKeyTime = Marks(rawValue: 8)
    /// The row is a hit with parameters of its own.
    static let hasParameters = Marks(rawValue: 16)
    static let all: Marks = [.sameSender, .hasUser, .hasKey, .hasKeyTime, .hasParameters]
  }

  /// The state that the next row is stored relative to.
  struct Sender: BitwiseCopyable {
    var app: Int64 = 0
    var slot: UInt32 = 0
    var device: Int64 = 0
    var session: Int64 = 0
    var received: Int64 = 0
    /// The time of the row before.
    var time: Int64 = 0
  }
}

/// Appends rows to a block.
package struct RowBlockWriter {
  package let bytes = RowBytes()
  package private(set) var rows = 0
  private var last = RowBlock.Sender()

  package init() {}

  package mutating func removeAll() {
    bytes.removeAll()
    rows = 0
    last = RowBlock.Sender()
  }

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - user: The user that the app named; empty if there is none.
  ///   - parameters: The stored parameters of a hit; `nil` if it has none.
  @inline(__always)
  package mutating func append(
    _ row: EventRow, user: UnsafeRawBufferPointer, properties: UnsafeRawBufferPointer,
    parameters: UnsafeRawBufferPointer? = nil
  ) {
    bytes.reserve(160 + user.count + properties.count + (parameters?.count ?? 0))
    let received = row.received
    let isSame =
      row.slot == last.slot && row.session == last.session && received == last.received && row.device == last.device
      && row.app == last.app
    var marks: RowBlock.Marks = isSame ? .sameSender : []
    if !user.isEmpty { marks.insert(.hasUser) }
    if let key = row.key { marks.formUnion(key.milliseconds == row.time ? .hasKey : [.hasKey, .hasKeyTime]) }
    if parameters != nil { marks.insert(.hasParameters) }
    bytes.append(marks.rawValue)
    bytes.append(varint: UInt64(bitPattern: row.flags.rawValue))
    if !isSame {
      bytes.append(varint: UInt64(bitPattern: row.app))
      bytes.append(varint: UInt64(row.slot))
      bytes.append(varint: UInt64(bitPattern: row.device))
      bytes.append(word: UInt64(bitPattern: row.session))
      bytes.append(zigzag: received &- last.received)
    }
    bytes.append(zigzag: row.time &- last.time)
    bytes.append(varint: UInt64(bitPattern: row.name))
    if let key = row.key {
      bytes.append(word: UInt64(bitPattern: key.hash))
      if marks.contains(.hasKeyTime) { bytes.append(zigzag: key.milliseconds &- row.time) }
    }
    if !user.isEmpty { bytes.append(counted: user) }
    bytes.append(counted: properties)
    if let parameters { bytes.append(counted: parameters) }
    last = RowBlock.Sender(
      app: row.app, slot: row.slot, device: row.device, session: row.session, received: received, time: row.time)
    rows += 1
  }
}

/// Reads the rows of a block in order, up to its end or to the first invalid one. Times outside ``TimeBounds`` are
/// invalid, because the writer stores none.
package struct RowBlockReader {
  private var reader: ByteReader
  private var last = RowBlock.Sender()
  package private(set) var nextID: Int64
  /// True after ``next()`` has ended before the end of the block.
  package private(set) var isDamaged = false
  /// The user of the row last returned; empty if there is none.
  package private(set) var user = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The stored properties of the row last returned.
  package private(set) var properties = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The stored parameters of the row last returned; `nil` if it has none.
  package private(set) var parameters: UnsafeRawBufferPointer?

  /// - Parameter firstID: The ID of the block's first row.
  package init(_ bytes: UnsafeRawBufferPointer, firstID: Int64) {
    reader = ByteReader(bytes)
    nextID = firstID
  }

  @inline(__always)
  package mutating func next() -> EventRow? {
    guard !reader.isAtEnd, !isDamaged else { return nil }
    let row = read()
    isDamaged = row == nil
    return row
  }

  @inline(__always)
  private mutating func read() -> EventRow? {
    guard let byte = reader.byte(), byte & ~RowBlock.Marks.all.rawValue == 0, let flags = reader.varint() else {
      return nil
    }
    let marks = RowBlock.Marks(rawValue: byte)
    if !marks.contains(.sameSender) {
      guard let app = reader.varint(), let slot = reader.varint().flatMap(UInt32.init(exactly:)),
        let device = reader.varint(), let session = word(), let step = reader.zigzag()
      else { return nil }
      last.app = Int64(bitPattern: app)
      last.slot = slot
      last.device = Int64(bitPattern: device)
      last.session = session
      last.received &+= step
    }
    guard let step = reader.zigzag(), let name = reader.varint() else { return nil }
    last.time &+= step
    // Everything that calculates with times relies on this.
    guard TimeBounds.contains(last.time), TimeBounds.contains(last.received) else { return nil }
    var key: DuplicateKey?
    if marks.contains(.hasKey) {
      guard let hash = word(), let step = marks.contains(.hasKeyTime) ? reader.zigzag() : 0 else { return nil }
      key = DuplicateKey(milliseconds: last.time &+ step, hash: hash)
    }
    guard let user = marks.contains(.hasUser) ? counted() : UnsafeRawBufferPointer(start: nil, count: 0),
      let properties = counted()
    else { return nil }
    self.user = user
    self.properties = properties
    parameters = nil
    if marks.contains(.hasParameters) {
      guard let parameters = counted() else { return nil }
      self.parameters = parameters
    }
    defer { nextID += 1 }
    return EventRow(
      id: nextID, app: last.app, time: last.time, lag: last.received &- last.time, slot: last.slot,
      device: last.device, session: last.session, flags: EventRow.Flags(rawValue: Int64(bitPattern: flags)),
      name: Int64(bitPattern: name), key: key)
  }

  @inline(__always)
  private mutating func word() -> Int64? {
    reader.bytes(8).map { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
  }

  @inline(__always)
  private mutating func counted() -> UnsafeRawBufferPointer? {
    guard let count = reader.varint() else { return nil }
    return reader.bytes(Int(clamping: count))
  }
}
