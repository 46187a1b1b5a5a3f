import Ingest
package import RowFiles
package import ServerBase
import Warehouse

/// Counts property values of events, per app, day, event and property.
///
/// Counts only grow and sets only merge, so each flush stores its changes as a separate part. Parts of similar size are
/// merged later, as in a log-structured merge tree, so each value is rewritten a logarithmic number of times rather
/// than twice a second.
///
/// Several accumulators can share the work: each then counts the values of some properties, and all of them see all rows,
/// since the order of rows decides which properties there is room for.
package final class PropertyAccumulator {
  /// One property of one event on one day.
  package final class Group {
    /// App and day.
    package let first: UInt64
    /// Event and property.
    let second: UInt64
    package let values: ByteTable
    /// The number of values whose text is on disk.
    package var storedValues = 0
    /// Occurrences since the last flush: the value's number in the upper half, the slot in the lower.
    let pending = GrowingMemory<UInt64>(zero: 0)
    var parts: [Part] = []

    package init(first: UInt64, second: UInt64, seed: UInt64) {
      self.first = first
      self.second = second
      values = ByteTable(seed: seed)
    }

    package var event: Int64 { Int64(second >> 32) }
    package var property: Int64 { Int64(second & 0xFFFF_FFFF) }
  }

  /// The share of one of several accumulators.
  package struct Share {
    /// The number of the accumulator, from 0.
    var number: Int
    /// The number of accumulators.
    var count: Int

    package init(number: Int, count: Int) { (self.number, self.count) = (number, count) }

    /// All properties.
    static let all = Share(number: 0, count: 1)

    func contains(event: Int64, property: UInt64) -> Bool {
      count == 1 || mixed(UInt64(bitPattern: event), property) % UInt64(count) == UInt64(number)
    }
  }

  /// A stored part: its number and its size in bytes.
  struct Part {
    var number: Int64
    var byteCount: Int
  }

  /// The maximum number of event–property pairs counted per app and day. Others are stored, but not counted.
  static let maximumGroupsPerDay = 20_000
  /// The maximum number of properties counted per app, day and event.
  static let maximumPropertiesPerEvent = 250
  /// The maximum number of groups in memory. Beyond that, they are written early and evicted.
  private static let maximumGroups = 100_000
  /// The maximum number of distinct values in memory. Beyond that, they are read back on demand.
  private static let maximumKnownValues = 1_000_000

  /// The groups of one event on one day, in the order in which its properties first occurred; `nil` for those that
  /// another accumulator counts.
  private final class Event {
    let properties = GrowingMemory<UInt64>(zero: 0)
    @exclusivity(unchecked) var groups: [Group?] = []

    func append(_ group: Group?, property: UInt64) {
      properties.append(property)
      groups.append(group)
    }
  }

  private let seed: UInt64
  /// The store that loads groups from disk; `nil` when counting from scratch.
  private let store: PropertyStore?
  private let share: Share
  private let table = PairTable()
  @exclusivity(unchecked) private var events: [Event] = []
  @exclusivity(unchecked) private var groupsPerDay: [UInt64: Int] = [:]
  @exclusivity(unchecked) private var dirty: [Group] = []
  /// The number of groups in memory.
  @exclusivity(unchecked) private(set) var groupCount = 0
  /// The number of occurrences since they were taken.
  @exclusivity(unchecked) package private(set) var pendingCount = 0

  package init(seed: UInt64, store: PropertyStore?, share: Share = .all) {
    self.seed = seed
    self.store = store
    self.share = share
  }

  /// True if there are so many groups that they should be written and evicted.
  var isLarge: Bool { groupCount > Self.maximumGroups }

  /// Counts all properties of one event.
  @inline(__always)
  package func add(_ row: EventRow, day: Int, properties: UnsafeRawBufferPointer) throws {
    guard row.flags.kind == .event, !properties.isEmpty else { return }
    let first = RollupAccumulator.first(app: row.app, day: day)
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
      if let group = event.groups[index] { add(value, row.slot, to: group) }
    }
  }

  /// Returns the index of a property. Events with the same name nearly always have their properties in the same order.
  @inline(__always)
  private static func index(of property: UInt64, in event: Event, near position: Int) -> Int? {
    let properties = event.properties.elements
    if position < properties.count, properties[position] == property { return position }
    return properties.firstIndex(of: property)
  }

  @inline(__always)
  private func add(_ value: UnsafeRawBufferPointer, _ slot: UInt32, to group: Group) {
    if group.pending.count == 0 { dirty.append(group) }
    let value = value.count > PropertyCoding.maximumCountedBytes ? Self.truncated(value) : value
    let key = group.values.key(value)
    let ordinal: Int
    if let existing = group.values.find(value, key) {
      ordinal = existing
    } else if group.values.count < PropertyPack.maximumValues {
      ordinal = group.values.insert(value, key)
    } else {
      ordinal = PropertyPack.other
    }
    group.pending.append(UInt64(ordinal) << 32 | UInt64(slot))
    pendingCount += 1
  }

  /// Truncates a value; only texts are that long. The length prefix may then be wrong, but the bytes serve only to tell
  /// values apart.
  private static func truncated(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    prefix(value, atMost: PropertyCoding.maximumCountedBytes)
  }

  /// Returns an event with the properties stored for it on that day.
  private func open(_ first: UInt64, _ name: Int64) throws -> Event {
    let event = Event()
    for property in try store?.properties(first, event: name) ?? [] {
      let group = group(first, name, UInt64(bitPattern: property))
      if let group { try store?.load(group) }
      event.append(group, property: UInt64(bitPattern: property))
    }
    return event
  }

  private func group(_ first: UInt64, _ name: Int64, _ property: UInt64) -> Group? {
    guard share.contains(event: name, property: property) else { return nil }
    groupCount += 1
    return Group(first: first, second: UInt64(bitPattern: name) << 32 | property & 0xFFFF_FFFF, seed: seed)
  }

  /// Starts counting a property that is new for the event on that day; returns `nil` if there are too many.
  private func admit(_ property: UInt64, of event: Event, _ first: UInt64, _ name: Int64) throws -> Int? {
    let count = try groupsPerDay[first] ?? store?.groupCount(first) ?? 0
    groupsPerDay[first] = count
    guard count < Self.maximumGroupsPerDay, event.groups.count < Self.maximumPropertiesPerEvent else { return nil }
    groupsPerDay[first] = count + 1
    event.append(group(first, name, property), property: property)
    return event.groups.count - 1
  }

  /// Calls `body` with each group that has grown, then clears its pending occurrences.
  ///
  /// With a store, it also forgets the groups if there are many; they are loaded again.
  package func takePending(_ body: (Group) throws -> Void) rethrows {
    for group in dirty {
      group.pending.sortAscending()
      try body(group)
      group.pending.removeAll()
    }
    dirty.removeAll(keepingCapacity: true)
    pendingCount = 0
    guard store != nil else { return }
    let valueCount = events.reduce(0) { $0 + $1.groups.reduce(0) { $0 + ($1?.values.count ?? 0) } }
    if valueCount > Self.maximumKnownValues || isLarge { removeAll() }
  }

  func removeAll() {
    table.removeAll()
    events.removeAll()
    groupsPerDay.removeAll()
    dirty.removeAll()
    groupCount = 0
    pendingCount = 0
  }
}

extension PropertyAccumulator.Group {
  /// Returns the pending occurrences as a pack.
  package func pack() -> [UInt8] {
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
