import Questions

/// Columns of up to 65,536 rows of one app, in the order in which they were stored.
///
/// Rows refer to a sender (install, user, session and device) and to a label (kind and name), of which a chunk has far
/// fewer than rows. A text is stored once.
///
/// `@unchecked Sendable`: the memory never changes.
package final class Chunk: @unchecked Sendable {
  package static let maximumRows = 65_536
  /// The size of a builder at which its rows become a chunk, however few they are. Usual chunks take a fifth of it.
  package static let maximumBuilderBytes = 32 << 20
  static let noText = UInt32.max

  package let header: ChunkHeader
  private let memory: ChunkMemory
  let senders: UnsafePointer<UInt16>
  let labels: UnsafePointer<UInt16>
  let senderSlots: UnsafePointer<UInt32>
  /// The number of each sender's user plus one; 0 for none.
  let senderUsers: UnsafePointer<UInt32>
  /// The session of each sender; 0 for none.
  let senderSessions: UnsafePointer<Int64>
  let senderDevices: UnsafePointer<UInt16>
  /// The first row of each sender in the order of time and ID, and the last one.
  let senderFirsts, senderLasts: UnsafePointer<UInt16>
  let deviceTexts: UnsafePointer<UInt32>
  /// The kind of each label, twice its stored number, plus one if its rows began a session.
  let labelKinds: UnsafePointer<UInt8>
  let labelNames: UnsafePointer<UInt32>
  private let textEnds: UnsafePointer<UInt32>
  private let textBytes: UnsafeRawPointer
  private let shortIDs: UnsafePointer<UInt32>?
  private let longIDs: UnsafePointer<Int64>?
  let shortTimes: UnsafePointer<UInt32>?
  private let longTimes: UnsafePointer<Int64>?
  /// As in ``ChunkBuilder/Row/momentInMillisecond``; `nil` if all are 0.
  private let moments: UnsafePointer<UInt16>?
  /// A copy, because they say where other values are.
  private let properties: [ChunkLayout.PropertyEntry]
  /// One more than the largest number of an install.
  let installEnd: UInt32
  /// One more than the largest number of a user.
  let userEnd: UInt32

  /// Reads a chunk; returns `nil` if the bytes are damaged or of another format.
  package convenience init?(_ memory: ChunkMemory) {
    guard ChunkHeader.isValid(memory.bytes) else { return nil }
    self.init(valid: memory)
  }

  init(valid memory: ChunkMemory) {
    self.memory = memory
    let start = memory.start
    header = start.load(as: ChunkHeader.self)
    let layout = ChunkLayout(header)
    func column<Element>(_ place: Int) -> UnsafePointer<Element> {
      UnsafePointer((start + place).assumingMemoryBound(to: Element.self))
    }
    shortIDs = header.hasShortIDs ? column(layout.ids) : nil
    longIDs = header.hasShortIDs ? nil : column(layout.ids)
    shortTimes = header.hasShortTimes ? column(layout.times) : nil
    longTimes = header.hasShortTimes ? nil : column(layout.times)
    moments = header.hasMoments != 0 ? column(layout.moments) : nil
    senders = column(layout.senders)
    labels = column(layout.labels)
    senderSlots = column(layout.senderSlots)
    senderUsers = column(layout.senderUsers)
    senderSessions = column(layout.senderSessions)
    senderDevices = column(layout.senderDevices)
    senderFirsts = column(layout.senderFirsts)
    senderLasts = column(layout.senderLasts)
    deviceTexts = column(layout.deviceTexts)
    labelKinds = column(layout.labelKinds)
    labelNames = column(layout.labelNames)
    textEnds = column(layout.textEnds)
    textBytes = UnsafeRawPointer(start + layout.textBytes)
    properties = Array(UnsafeBufferPointer(start: column(layout.properties), count: header.properties))
    var (installEnd, userEnd) = (UInt32(0), UInt32(0))
    for sender in 0..<header.senders {
      installEnd = max(installEnd, senderSlots[sender] + 1)
      userEnd = max(userEnd, senderUsers[sender])
    }
    self.installEnd = installEnd
    self.userEnd = userEnd
  }

  package var rows: Int { header.rows }
  package var bytes: UnsafeRawBufferPointer { memory.bytes }
  /// True if a part of the mapped file is lost. What was read from it, also before, may be wrong.
  package var isIncomplete: Bool { memory.isIncomplete }

  @inline(__always)
  func time(_ row: Int) -> Int64 {
    if let shortTimes { return header.earliest + Int64(shortTimes[row]) }
    return longTimes.map { $0[row] } ?? 0
  }

  /// The time of a row with its microseconds.
  @inline(__always)
  func moment(_ row: Int) -> Moment { Moment(time: time(row), inMillisecond: moments.map { $0[row] } ?? 0) }

  /// Returns the number of rows before a time.
  package func rows(before time: Int64) -> Int {
    if rows == 0 || header.earliest >= time { return 0 }
    if header.latest < time { return rows }
    return (0..<rows).reduce(0) { $0 + (self.time($1) < time ? 1 : 0) }
  }

  func id(_ row: Int) -> Int64 {
    if let shortIDs { return header.after + Int64(shortIDs[row]) }
    return longIDs.map { $0[row] } ?? 0
  }

  /// Returns the row with an ID; `nil` if the chunk has none.
  func row(_ id: Int64) -> Int? {
    let row = Self.firstIndex(rows) { self.id($0) >= id }
    return row < rows && self.id(row) == id ? row : nil
  }

  /// Returns the places of those of some IDs, which are in order, that the chunk may have.
  func places(in ids: [Int64]) -> Range<Int> {
    let start = Self.firstIndex(ids.count) { ids[$0] > header.after }
    return start..<max(start, Self.firstIndex(ids.count) { ids[$0] > header.last })
  }

  /// Returns the first of so many indexes for which a condition holds, as it does for all that follow.
  private static func firstIndex(_ count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The ID of the last row; `nil` if there are no rows.
  package var lastRow: Int64? { rows > 0 ? id(rows - 1) : nil }

  /// Returns true if the last row is of an install and a time.
  package func ends(slot: UInt32, time: Int64) -> Bool {
    rows > 0 && self.time(rows - 1) == time && senderSlots[Int(senders[rows - 1])] == slot
  }

  /// The kind of a label.
  func kind(_ label: Int) -> QuestionKind { QuestionKind.stored[Int(labelKinds[label] >> 1)] }
  func text(_ number: UInt32) -> UnsafeRawBufferPointer {
    guard number < header.texts else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let start = number == 0 ? 0 : Int(textEnds[Int(number) - 1])
    // Lost pages read as zeros.
    return UnsafeRawBufferPointer(start: textBytes + start, count: max(Int(textEnds[Int(number)]) - start, 0))
  }

  /// A property's column, or `nil` if no row has the property.
  func property(_ name: UnsafeRawBufferPointer) -> PropertyColumn? {
    for index in 0..<header.properties where text(properties[index].name).elementsEqual(name) {
      return PropertyColumn(properties[index], UnsafeRawPointer(memory.start), rows: rows)
    }
    return nil
  }

  /// Calls `body` with the name of each property and the number of rows that have it.
  package func forEachProperty(_ body: (_ name: UnsafeRawBufferPointer, _ rows: Int) -> Void) {
    for property in properties where !text(property.name).elementsEqual(Self.aliasName) {
      body(text(property.name), Int(property.rows))
    }
  }

  /// Calls `body` with the install and the session of each sender, in the order in which they occur.
  package func forEachSender(_ body: (_ slot: UInt32, _ session: Int64) -> Void) {
    for sender in 0..<header.senders { body(senderSlots[sender], senderSessions[sender]) }
  }
}

/// The values of one property: an index into the distinct values for each row that has one.
struct PropertyColumn {
  /// The rows with a value, ascending; `nil` if all have one.
  let rows: UnsafePointer<UInt16>?
  let count: Int
  /// The index of each value: numbers come first, then texts.
  let indexes: UnsafePointer<UInt16>
  let numbers: UnsafePointer<Double>
  let numberCount: Int
  let texts: UnsafePointer<UInt32>
  let textCount: Int

  init(_ entry: ChunkLayout.PropertyEntry, _ start: UnsafeRawPointer, rows total: Int) {
    count = Int(entry.rows)
    numberCount = Int(entry.numbers)
    textCount = Int(entry.texts)
    var place = start + Int(entry.start)
    func next<Element>(_ size: Int) -> UnsafePointer<Element> {
      defer { place += (size * MemoryLayout<Element>.stride + 7) & ~7 }
      return place.assumingMemoryBound(to: Element.self)
    }
    numbers = next(numberCount)
    texts = next(textCount)
    indexes = next(count)
    rows = count == total ? nil : next(count)
  }

  var distinct: Int { numberCount + textCount }

  /// The value with an index.
  func value(_ index: Int, _ chunk: Chunk) -> ColumnValue {
    index < numberCount ? .number(numbers[index]) : .text(chunk.text(texts[index - numberCount]))
  }
}

/// The facts of a device that questions know.
package struct ChunkDevice {
  static let dimensions: [QuestionDimension] = [.version, .os, .model, .country, .language]
  static let factCount = 5

  /// The texts in the order of ``dimensions``; empty if unknown.
  package var facts: [String]

  package init(version: String, os: String, model: String, country: String, language: String) {
    facts = [version, os, model, country, language]
  }
}

extension QuestionKind {
  /// The kinds in the order of their stored numbers.
  static let stored: [QuestionKind] = [.event, .screen, .sessionStart, .handledError, .crash, .other]

  var storedNumber: UInt8 {
    switch self {
    case .event: 0
    case .screen: 1
    case .sessionStart: 2
    case .handledError: 3
    case .crash: 4
    case .other: 5
    }
  }
}
