package import Questions
import ServerBase

/// Collects rows of one app, in the order of their IDs, and makes chunks of them.
package final class ChunkBuilder {
  /// A stored row without name and properties.
  package struct Row {
    package var id: Int64
    package var time: Int64
    /// One more than the microseconds within the millisecond of the time; 0 if they aren't known.
    package var momentInMillisecond: UInt16
    package var kind: QuestionKind
    package var startsSession: Bool
    package var slot: UInt32
    /// The number of the user plus one; 0 for none.
    package var user: UInt32
    /// 0 for none.
    package var session: Int64
    /// A number that stands for the facts of a device.
    package var device: Int64

    package init(
      id: Int64, time: Int64, momentInMillisecond: UInt16 = 0, kind: QuestionKind, startsSession: Bool, slot: UInt32,
      user: UInt32, session: Int64, device: Int64
    ) {
      self.id = id
      self.time = time
      self.momentInMillisecond = momentInMillisecond
      self.kind = kind
      self.startsSession = startsSession
      self.slot = slot
      self.user = user
      self.session = session
      self.device = device
    }
  }

  /// The values of one property so far.
  final class Property {
    let name: UInt32
    let rows = GrowingMemory<UInt16>()
    /// The index of each value among the numbers, or the complement of that among the texts.
    let values = GrowingMemory<Int32>()
    let numbers = GrowingMemory<Double>()
    let texts = GrowingMemory<UInt32>()

    /// The approximate size of a property with one value, with what its parts take from the allocator.
    static let ownBytes = 600

    init(name: UInt32) { self.name = name }
  }

  @exclusivity(unchecked) var header: ChunkHeader
  let ids = GrowingMemory<Int64>()
  let times = GrowingMemory<Int64>()
  /// As in ``Row/momentInMillisecond``.
  let moments = GrowingMemory<UInt16>()
  let senders = GrowingMemory<UInt16>()
  let labels = GrowingMemory<UInt16>()
  /// Slot and user, and session, of each pair; then the pair and the device of each sender.
  let visits = PairTable()
  let senderTable = PairTable()
  let labelTable = PairTable()
  private var deviceNumbers: [Int64: UInt16] = [:]
  let deviceTexts = GrowingMemory<UInt32>()
  let texts = ByteTable(seed: 0x7465_726E)
  /// For each text, the number of the property with that name plus one; 0 if there is none.
  private let propertyNumbers = GrowingMemory<Int32>()
  @exclusivity(unchecked) private(set) var properties: [Property] = []
  /// The number of values of all properties.
  @exclusivity(unchecked) private var propertyValues = 0
  /// The place of each distinct value among those of its property.
  private let valueTable = PairTable()
  private let valuePlaces = GrowingMemory<Int32>()
  @exclusivity(unchecked) private var lastSender: (row: Row, number: UInt16)?

  /// Creates a builder of rows after a row.
  package init(app: Int64, after: Int64) { header = ChunkHeader(app: app, after: after) }

  /// The rows come after this one.
  package var after: Int64 { header.after }
  package var rows: Int { times.count }
  /// The last row added; ``after`` if there is none.
  package var last: Int64 { max(header.last, header.after) }
  /// True if the next row belongs to another chunk. The size counts, too, so that rows with many different names and values
  /// don't fill the memory.
  package var isFull: Bool { rows >= Chunk.maximumRows || byteCount >= Chunk.maximumBuilderBytes }
  /// The approximate size in bytes.
  package var byteCount: Int {
    texts.size + times.count * 22 + valuePlaces.count * 44 + propertyValues * 6 + properties.count * Property.ownBytes
  }

  /// Returns the number of a text.
  package func text(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let key = texts.key(bytes)
    return UInt32(texts.find(bytes, key) ?? texts.insert(bytes, key))
  }

  package func text(_ text: String) -> UInt32 { withUTF8(text) { self.text($0) } }

  /// Adds a row; its properties follow.
  ///
  /// - Parameters:
  ///   - name: The number of its name among the texts; `nil` if the kind has none.
  ///   - device: Returns the facts of the row's device.
  package func append(_ row: Row, name: UInt32?, device: () throws -> ChunkDevice) rethrows {
    let sender = try sender(row, device: device)
    let kind = UInt64(row.kind.storedNumber << 1 | (row.startsSession ? 1 : 0))
    let label = labelTable.number(kind, UInt64(name ?? Chunk.noText)).0
    ids.append(row.id)
    times.append(row.time)
    moments.append(row.momentInMillisecond)
    if row.momentInMillisecond != 0 { header.hasMoments = 1 }
    senders.append(sender)
    labels.append(UInt16(label))
    header.earliest = min(header.earliest, row.time)
    header.latest = max(header.latest, row.time)
    header.last = row.id
  }

  private func sender(_ row: Row, device: () throws -> ChunkDevice) rethrows -> UInt16 {
    if let last = lastSender, last.row.slot == row.slot, last.row.user == row.user, last.row.session == row.session,
      last.row.device == row.device
    {
      return last.number
    }
    let deviceNumber: UInt16
    if let known = deviceNumbers[row.device] {
      deviceNumber = known
    } else {
      deviceNumber = UInt16(deviceNumbers.count)
      for fact in try device().facts { deviceTexts.append(fact.isEmpty ? Chunk.noText : text(fact)) }
      deviceNumbers[row.device] = deviceNumber
    }
    let visit = visits.number(UInt64(row.slot) << 32 | UInt64(row.user), UInt64(bitPattern: row.session)).0
    let number = UInt16(senderTable.number(UInt64(visit), UInt64(deviceNumber)).0)
    lastSender = (row, number)
    return number
  }

  /// Adds a numeric property to the last row.
  package func add(_ name: UInt32, number: Double) {
    guard !number.isNaN else { return }
    // 0 and −0 are one value.
    let value = number == 0 ? 0 : number
    let property = property(name)
    let (entry, isNew) = valueTable.number(UInt64(name) << 1, value.bitPattern)
    if isNew {
      valuePlaces.append(Int32(property.numbers.count))
      property.numbers.append(value)
    }
    add(valuePlaces.elements[entry], to: property)
  }

  /// Adds a property with a text to the last row.
  package func add(_ name: UInt32, text: UInt32) {
    let property = property(name)
    let (entry, isNew) = valueTable.number(UInt64(name) << 1 | 1, UInt64(text))
    if isNew {
      valuePlaces.append(~Int32(property.texts.count))
      property.texts.append(text)
    }
    add(valuePlaces.elements[entry], to: property)
  }

  private func property(_ name: UInt32) -> Property {
    while propertyNumbers.count <= Int(name) { propertyNumbers.append(0) }
    let number = Int(propertyNumbers.elements[Int(name)])
    if number > 0 { return properties[number - 1] }
    propertyNumbers.elements[Int(name)] = Int32(properties.count + 1)
    let property = Property(name: name)
    properties.append(property)
    return property
  }

  private func add(_ value: Int32, to property: Property) {
    let row = UInt16(rows - 1)
    // The last one of several values of one name counts.
    if let last = property.rows.elements.last, last == row {
      property.values.elements[property.values.count - 1] = value
    } else {
      property.rows.append(row)
      property.values.append(value)
      propertyValues += 1
    }
  }
}
