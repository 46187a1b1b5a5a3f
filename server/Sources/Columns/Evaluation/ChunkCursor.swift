import Ingest
import Questions
import ServerBase
import Warehouse

/// The chunk being evaluated, with memory that is reused for each.
final class ChunkCursor {
  /// One byte per row: 1 for the rows that pass.
  typealias Mask = Memory<UInt8>

  /// More than a year and a half.
  private static let maximumQuarters = 60_000
  private static let mixedQuarter = UInt16.max

  let hours: CivilHours
  /// The number of the part of the question that uses the cursor.
  let part: Int
  private let numbers: PersonNumbers
  private(set) var chunk: Chunk
  let scratch = CellScratch()
  /// A byte for each value of a column.
  let table = Memory<UInt8>(count: Chunk.maximumRows, zero: 0)
  /// All rows of any chunk.
  private lazy var allRows = {
    let rows = Memory<UInt16>(count: Chunk.maximumRows, zero: 0)
    for row in 0..<Chunk.maximumRows { rows[row] = UInt16(row) }
    return rows
  }()
  /// The indexes of a column with one value. Never changed.
  private let zerosMemory = Memory<UInt16>(count: Chunk.maximumRows, zero: 0)
  private lazy var senderUnitsMemory = Memory<UInt64>(count: Chunk.maximumRows, zero: 0)
  private lazy var quarterHours = Memory<Int32>(count: Self.maximumQuarters, zero: 0)
  private lazy var quarterIndexes = Memory<UInt16>(count: Self.maximumQuarters, zero: 0)
  private var freeMasks: [Mask] = []
  private var freeLists: [Memory<UInt16>] = []
  /// The columns that were asked for since the cursor moved.
  private var columns: [QuestionDimension: IndexColumn] = [:]
  private var freeIndexes: [Memory<UInt16>] = []
  private var usedIndexes: [Memory<UInt16>] = []
  private let personTable = Memory<UInt32>(count: Chunk.maximumRows, zero: 0)
  private var isPersonTableSet = false

  init(_ hours: CivilHours, part: Int, persons numbers: PersonNumbers, chunk: Chunk) {
    self.hours = hours
    self.part = part
    self.numbers = numbers
    self.chunk = chunk
  }

  func move(to chunk: Chunk) {
    self.chunk = chunk
    isPersonTableSet = false
    freeIndexes += usedIndexes
    usedIndexes = []
    columns.removeAll(keepingCapacity: true)
  }

  /// The person of each sender.
  var persons: UnsafePointer<UInt32> {
    if !isPersonTableSet {
      for sender in 0..<chunk.header.senders { personTable[sender] = numbers.person(ofSender: sender, chunk) }
      isPersonTableSet = true
    }
    return UnsafePointer(personTable.start)
  }

  /// A zero for each sender, valid until the next call.
  func senderUnits(count: Int) -> UnsafeMutablePointer<UInt64> {
    senderUnitsMemory.start.update(repeating: 0, count: count)
    return senderUnitsMemory.start
  }

  func withMask<Result>(_ body: (Mask) throws -> Result) rethrows -> Result {
    let mask = freeMasks.popLast() ?? Mask(count: Chunk.maximumRows, zero: 0)
    defer { freeMasks.append(mask) }
    return try body(mask)
  }

  /// Room for the rows of a selection; one more, because a row is written before it is known to be selected.
  func withList<Result>(_ body: (Memory<UInt16>) throws -> Result) rethrows -> Result {
    let list = freeLists.popLast() ?? Memory(count: Chunk.maximumRows + 1, zero: 0)
    defer { freeLists.append(list) }
    return try body(list)
  }

  /// All rows of the chunk.
  var rows: UnsafeBufferPointer<UInt16> { UnsafeBufferPointer(start: allRows.start, count: chunk.rows) }

  private var zeros: UnsafePointer<UInt16> { UnsafePointer(zerosMemory.start) }

  /// A column with one value, for questions without dimensions.
  var whole: IndexColumn { IndexColumn(indexes: zeros, distinct: 1) { _ in .none } }

  private func newIndexes() -> Memory<UInt16> {
    let memory = freeIndexes.popLast() ?? Memory(count: Chunk.maximumRows, zero: 0)
    usedIndexes.append(memory)
    return memory
  }

  /// Returns the column of a dimension; valid until the cursor moves.
  func column(_ dimension: QuestionDimension) -> IndexColumn {
    if let known = columns[dimension] { return known }
    let column = makeColumn(dimension)
    columns[dimension] = column
    return column
  }

  private func makeColumn(_ dimension: QuestionDimension) -> IndexColumn {
    let chunk = chunk
    switch dimension {
    case .event, .screen:
      let wanted: QuestionKind = dimension == .event ? .event : .screen
      return IndexColumn(indexes: chunk.labels, distinct: chunk.header.labels) { label in
        let name = chunk.labelNames[label]
        return chunk.kind(label) == wanted && name != Chunk.noText ? .text(chunk.text(name)) : .none
      }
    case .kind:
      return IndexColumn(indexes: chunk.labels, distinct: chunk.header.labels) { label in
        .text(Self.kindNames[Int(chunk.kind(label).storedNumber)])
      }
    case .version, .os, .model, .country, .language: return fact(dimension)
    case .install:
      return IndexColumn(indexes: chunk.senders, distinct: chunk.header.senders) { .install(chunk.senderSlots[$0]) }
    case .user:
      return IndexColumn(indexes: chunk.senders, distinct: chunk.header.senders) { sender in
        chunk.senderUsers[sender] == 0 ? .none : .user(chunk.senderUsers[sender] - 1)
      }
    case .property(let name): return property(name.text)
    case .time(let unit): return time(unit)
    }
  }

  /// The column of a fact about devices. A chunk has thousands of senders with few different facts, so these are numbered.
  private func fact(_ dimension: QuestionDimension) -> IndexColumn {
    let chunk = chunk
    let fact = ChunkDevice.dimensions.firstIndex(of: dimension) ?? 0
    let numbers = newIndexes().start
    let known = Memory<Int32>(count: chunk.header.texts + 1, zero: -1)
    var texts: [UInt32] = []
    for sender in 0..<chunk.header.senders {
      let text = chunk.deviceTexts[Int(chunk.senderDevices[sender]) * ChunkDevice.factCount + fact]
      // The last place is for no text.
      let place = min(Int(text), chunk.header.texts)
      if known[place] < 0 {
        known[place] = Int32(texts.count)
        texts.append(text)
      }
      numbers[sender] = UInt16(known[place])
    }
    return IndexColumn(
      indexes: chunk.senders, distinct: chunk.header.senders, valueNumbers: UnsafePointer(numbers),
      valueCount: texts.count
    ) { [texts] number in
      texts[number] == Chunk.noText
        ? .none : .text(CanonicalBytes.canonical(chunk.text(texts[number]), dimension))
    }
  }

  private func property(_ name: String) -> IndexColumn {
    let chunk = chunk
    guard let column = withUTF8(name, { chunk.property($0) }) else {
      return IndexColumn(indexes: zeros, distinct: 1) { _ in .none }
    }
    guard let rows = column.rows else {
      return IndexColumn(indexes: column.indexes, distinct: column.distinct) { column.value($0, chunk) }
    }
    let indexes = newIndexes().start
    indexes.update(repeating: 0, count: chunk.rows)
    let values = column.indexes
    for position in 0..<column.count { indexes[Int(rows[position])] = values[position] + 1 }
    return IndexColumn(indexes: indexes, distinct: column.distinct + 1) {
      $0 == 0 ? .none : column.value($0 - 1, chunk)
    }
  }

  /// The units of the rows' times, found by quarters of an hour: a chunk usually spans few of them.
  private func time(_ unit: TimeUnit) -> IndexColumn {
    // Quarters are known by their civil hour alone.
    guard unit != .zonedHour else { return timeByRow(unit) }
    let first = flooredQuotient(chunk.header.earliest, 900_000)
    let count = flooredQuotient(chunk.header.latest, 900_000) - first + 1
    guard count <= Int64(Self.maximumQuarters) else { return timeByRow(unit) }
    hours.load(first..<first + count, into: quarterHours.start)
    var units = UnitIndexes(unit)
    var isMixed = false
    let quarters = quarterIndexes.start
    for quarter in 0..<Int(count) {
      let hour = quarterHours[quarter]
      if hour == CivilHours.mixed {
        isMixed = true
        quarters[quarter] = Self.mixedQuarter
      } else {
        quarters[quarter] = units.index(ofHour: Int(hour))
      }
    }
    if units.numbers.count == 1, !isMixed { return units.column(zeros) }
    let indexes = newIndexes()
    // Times as distances from the start of the first quarter.
    let base = first * 900_000
    let (start, rows) = (indexes.start, chunk.rows)
    if let short = chunk.shortTimes {
      let shift = UInt64(chunk.header.earliest - base)
      for row in 0..<rows { start[row] = quarters[Int((UInt64(short[row]) + shift) / 900_000)] }
    } else {
      for row in 0..<rows { start[row] = quarters[Int(UInt64(chunk.time(row) - base) / 900_000)] }
    }
    if isMixed {
      for row in 0..<rows where start[row] == Self.mixedQuarter {
        start[row] = units.index(ofHour: hours.hour(chunk.time(row)))
      }
    }
    return units.column(start)
  }

  private func timeByRow(_ unit: TimeUnit) -> IndexColumn {
    let indexes = newIndexes()
    var units = UnitIndexes(unit)
    for row in 0..<chunk.rows {
      let time = chunk.time(row)
      indexes[row] =
        unit == .zonedHour ? units.index(of: hours.number(of: unit, at: time)) : units.index(ofHour: hours.hour(time))
    }
    return units.column(indexes.start)
  }

  /// The names of kinds as bytes that live as long as the process.
  private nonisolated(unsafe) static let kindNames: [UnsafeRawBufferPointer] = QuestionKind.stored.map { kind in
    let bytes = Array(kind.rawValue.utf8)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(memory)
  }
}
