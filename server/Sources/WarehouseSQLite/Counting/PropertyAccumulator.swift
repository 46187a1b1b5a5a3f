import Ingest
import Views
import Warehouse

/// Counts property values of events, per app, day, event and property.
///
/// Counts only grow and sets only unite, so what a flush brings is stored as a part of its own and merged with earlier
/// parts when they have become about as small (as in a log-structured merge): each value is rewritten a logarithmic
/// number of times, instead of every half second.
final class PropertyAccumulator {
  /// One property of one event on one day.
  final class Group {
    /// App and day.
    let first: UInt64
    /// Event and property.
    let second: UInt64
    let values: ByteTable
    /// How many of the values have their text on disk.
    var storedValues = 0
    /// Occurrences since the last flush: the value's number in the upper half, the slot in the lower.
    let pending = GrowingMemory<UInt64>(zero: 0)
    var parts: [Part] = []

    init(first: UInt64, second: UInt64, seed: UInt64) {
      self.first = first
      self.second = second
      values = ByteTable(seed: seed)
    }

    var event: Int64 { Int64(second >> 32) }
    var property: Int64 { Int64(second & 0xFFFF_FFFF) }
  }

  /// A stored part: its number and its size in bytes.
  struct Part {
    var number: Int64
    var byteCount: Int
  }

  /// Distinct pairs of event and property per app and day that are counted; further ones are stored, but not counted.
  static let maximumGroupsPerDay = 20_000
  /// Distinct properties per app, day and event that are counted.
  static let maximumPropertiesPerEvent = 250
  /// Groups held in memory; beyond that they are written early and forgotten.
  private static let maximumGroups = 100_000
  /// Distinct values held in memory; beyond that they are read back when they are needed.
  private static let maximumKnownValues = 1_000_000

  /// The groups of one event on one day, in the order in which its properties were first seen.
  private final class Event {
    let properties = GrowingMemory<UInt64>(zero: 0)
    var groups: [Group] = []

    func append(_ group: Group) {
      properties.append(UInt64(bitPattern: group.property))
      groups.append(group)
    }
  }

  private let seed: UInt64
  /// Fills a group from disk, and counts a day's stored groups; absent when counting from scratch.
  private let store: PropertyStore?
  private let table = PairTable()
  private var events: [Event] = []
  private var groupsPerDay: [UInt64: Int] = [:]
  private var dirty: [Group] = []
  /// Groups in memory.
  private(set) var groupCount = 0

  init(seed: UInt64, store: PropertyStore?) {
    self.seed = seed
    self.store = store
  }

  /// Whether there are so many groups that they should be written and forgotten.
  var isLarge: Bool { groupCount > Self.maximumGroups }

  /// Counts all properties of one event.
  @inline(__always)
  func add(_ row: EventRow, day: Int, properties: UnsafeRawBufferPointer) throws {
    guard row.flags.kind == .event, !properties.isEmpty else { return }
    let first = FigureAccumulator.first(app: row.app, day: day)
    let (number, isNew) = table.number(first, UInt64(bitPattern: row.name))
    if isNew { events.append(try open(first, row.name)) }
    let event = events[number]
    var position = 0
    try PropertyCoding.forEach(properties) { property, value in
      guard
        let index = try Self.index(of: property, in: event, near: position)
          ?? admit(property, of: event, first, row.name)
      else { return }
      position = index + 1
      add(value, row.slot, to: event.groups[index])
    }
  }

  /// Where a property stands; events of one name nearly always bring theirs in the same order.
  @inline(__always)
  private static func index(of property: UInt64, in event: Event, near position: Int) -> Int? {
    let known = event.properties.elements
    if position < known.count, known[position] == property { return position }
    return known.firstIndex(of: property)
  }

  @inline(__always)
  private func add(_ value: UnsafeRawBufferPointer, _ slot: UInt32, to group: Group) {
    if group.pending.count == 0 { dirty.append(group) }
    let value = value.count > PropertyCoding.maximumFigureBytes ? Self.cut(value) : value
    let key = group.values.key(value)
    let ordinal: Int
    if let known = group.values.find(value, key) {
      ordinal = known
    } else if group.values.count < PropertyPack.maximumValues {
      ordinal = group.values.insert(value, key)
    } else {
      ordinal = PropertyPack.other
    }
    group.pending.append(UInt64(ordinal) << 32 | UInt64(slot))
  }

  /// Only texts are that long; the length before the text no longer matters, for the bytes only tell values apart.
  private static func cut(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    prefix(value, atMost: PropertyCoding.maximumFigureBytes)
  }

  /// An event with what is stored of its properties on that day.
  private func open(_ first: UInt64, _ name: Int64) throws -> Event {
    let event = Event()
    for property in try store?.properties(first, event: name) ?? [] {
      let group = group(first, name, UInt64(bitPattern: property))
      try store?.load(group)
      event.append(group)
    }
    return event
  }

  private func group(_ first: UInt64, _ name: Int64, _ property: UInt64) -> Group {
    groupCount += 1
    return Group(first: first, second: UInt64(bitPattern: name) << 32 | property & 0xFFFF_FFFF, seed: seed)
  }

  /// Begins to count a property that is new for the event on that day; `nil` when there are too many.
  private func admit(_ property: UInt64, of event: Event, _ first: UInt64, _ name: Int64) throws -> Int? {
    let count = try groupsPerDay[first] ?? store?.groupCount(first) ?? 0
    groupsPerDay[first] = count
    guard count < Self.maximumGroupsPerDay, event.groups.count < Self.maximumPropertiesPerEvent else { return nil }
    groupsPerDay[first] = count + 1
    event.append(group(first, name, property))
    return event.groups.count - 1
  }

  /// Calls `body` with each group that has grown, and forgets what it had pending.
  func takePending(_ body: (Group) throws -> Void) rethrows {
    for group in dirty {
      group.pending.sortAscending()
      try body(group)
      group.pending.removeAll()
    }
    dirty.removeAll(keepingCapacity: true)
    let known = events.reduce(0) { $0 + $1.groups.reduce(0) { $0 + $1.values.count } }
    if known > Self.maximumKnownValues || isLarge { removeAll() }
  }

  func removeAll() {
    table.removeAll()
    events.removeAll()
    groupsPerDay.removeAll()
    dirty.removeAll()
    groupCount = 0
  }
}

extension PropertyAccumulator.Group {
  /// What is pending, as a pack.
  func pack() -> [UInt8] {
    let pending = pending.elements
    var output: [UInt8] = []
    var slots: [UInt32] = []
    var previous = 0
    var position = 0
    while position < pending.count {
      let ordinal = Int(pending[position] >> 32)
      let start = position
      slots.removeAll(keepingCapacity: true)
      while position < pending.count, Int(pending[position] >> 32) == ordinal {
        let slot = UInt32(truncatingIfNeeded: pending[position])
        if slots.last != slot { slots.append(slot) }
        position += 1
      }
      let count = Int64(position - start)
      if ordinal >= storedValues, ordinal < values.count {
        let value = values.string(ordinal)
        PropertyPack.appendHead(step: ordinal - previous, value: value, count: count, to: &output)
      } else {
        PropertyPack.appendHead(step: ordinal - previous, value: nil, count: count, to: &output)
      }
      slots.withUnsafeBufferPointer { SlotSet.encode($0, into: &output) }
      previous = ordinal
    }
    return output
  }
}
