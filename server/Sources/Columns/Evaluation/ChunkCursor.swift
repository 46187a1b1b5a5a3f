import Ingest
import Questions
import Views
import Warehouse

/// The values of one dimension in a chunk: for each row, an index into its distinct values.
struct IndexColumn {
  let indexes: UnsafePointer<UInt16>
  let distinct: Int
  let value: (Int) -> ColumnValue
}

/// The chunk being evaluated, with memory that is reused for each.
final class ChunkCursor {
  /// One byte per row: 1 for the rows that pass.
  typealias Mask = Memory<UInt8>

  let hours: CivilHours
  let key: PersonKey
  /// The number of the first person who is a user; lower numbers are installs.
  let firstUser: UInt32
  private(set) var chunk: Chunk
  private var freeMasks: [Mask] = []
  private var freeIndexes: [Memory<UInt16>] = []
  private var usedIndexes: [Memory<UInt16>] = []
  private let personTable = Memory<UInt32>(count: Chunk.maximumRows, zero: 0)
  private var isPersonTableSet = false

  init(_ hours: CivilHours, key: PersonKey, firstUser: UInt32, chunk: Chunk) {
    self.hours = hours
    self.key = key
    self.firstUser = firstUser
    self.chunk = chunk
  }

  func move(to chunk: Chunk) {
    self.chunk = chunk
    isPersonTableSet = false
    freeIndexes += usedIndexes
    usedIndexes = []
  }

  /// The person of each sender.
  var persons: UnsafePointer<UInt32> {
    if !isPersonTableSet {
      let (slots, users) = (chunk.senderSlots, chunk.senderUsers)
      for sender in 0..<chunk.header.senders {
        personTable[sender] =
          key == .user && users[sender] != 0 ? firstUser + users[sender] - 1 : slots[sender]
      }
      isPersonTableSet = true
    }
    return UnsafePointer(personTable.start)
  }

  func withMask<Result>(_ body: (Mask) throws -> Result) rethrows -> Result {
    let mask = freeMasks.popLast() ?? Mask(count: Chunk.maximumRows, zero: 0)
    defer { freeMasks.append(mask) }
    return try body(mask)
  }

  private func newIndexes() -> Memory<UInt16> {
    let memory = freeIndexes.popLast() ?? Memory(count: Chunk.maximumRows, zero: 0)
    usedIndexes.append(memory)
    return memory
  }

  /// Returns the column of a dimension; valid until the cursor moves.
  func column(_ dimension: QuestionDimension) -> IndexColumn {
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
    case .version, .os, .model, .country, .language:
      let fact = ChunkDevice.dimensions.firstIndex(of: dimension) ?? 0
      return IndexColumn(indexes: chunk.senders, distinct: chunk.header.senders) { sender in
        let text = chunk.deviceTexts[Int(chunk.senderDevices[sender]) * ChunkDevice.factCount + fact]
        return text == Chunk.noText ? .none : .text(chunk.text(text))
      }
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

  private func property(_ name: String) -> IndexColumn {
    let chunk = chunk
    guard let column = withUTF8(name, { chunk.property($0) }) else {
      let zeros = newIndexes()
      zeros.start.update(repeating: 0, count: chunk.rows)
      return IndexColumn(indexes: zeros.start, distinct: 1) { _ in .none }
    }
    func value(_ index: Int) -> ColumnValue {
      index < column.numberCount
        ? .number(column.numbers[index]) : .text(chunk.text(column.texts[index - column.numberCount]))
    }
    guard let rows = column.rows else {
      return IndexColumn(indexes: column.indexes, distinct: column.distinct, value: value)
    }
    let indexes = newIndexes()
    indexes.start.update(repeating: 0, count: chunk.rows)
    for position in 0..<column.count { indexes[Int(rows[position])] = column.indexes[position] + 1 }
    return IndexColumn(indexes: indexes.start, distinct: column.distinct + 1) { $0 == 0 ? .none : value($0 - 1) }
  }

  private func time(_ unit: TimeUnit) -> IndexColumn {
    let indexes = newIndexes()
    var units: [Int] = []
    var known: [Int: UInt16] = [:]
    var (lastHour, lastIndex) = (Int.min, UInt16(0))
    for row in 0..<chunk.rows {
      let hour = hours.hour(chunk.time(row))
      if hour != lastHour {
        let number =
          unit == .hour
          ? hour : QuestionCalendar.number(of: unit, on: Day(number: Int(flooredQuotient(Int64(hour), 24))))
        if let index = known[number] {
          lastIndex = index
        } else {
          lastIndex = UInt16(units.count)
          known[number] = lastIndex
          units.append(number)
        }
        lastHour = hour
      }
      indexes[row] = lastIndex
    }
    return IndexColumn(indexes: indexes.start, distinct: units.count) { [units] in .unit(units[$0]) }
  }

  /// The names of kinds as bytes that live as long as the process.
  private nonisolated(unsafe) static let kindNames: [UnsafeRawBufferPointer] = QuestionKind.stored.map { kind in
    let bytes = Array(kind.rawValue.utf8)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(memory)
  }
}
