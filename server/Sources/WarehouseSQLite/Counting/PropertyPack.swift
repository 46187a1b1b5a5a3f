import ServerBase
import TernBase
import Warehouse

/// The counts of one property's values for one event and day, or part of a day, in one blob.
///
/// Values are numbered in the order in which they first occurred that day; a pack holds the text of values that first
/// occur in it. One row per value would cost a B-tree insert per value and flush, which measured more than storing the
/// events.
package enum PropertyPack {
  /// The maximum number of distinct values counted separately per day, event and property; the rest is "(other)".
  static let maximumValues = 2_000
  /// The number that stands for "(other)".
  package static let other = maximumValues

  /// One value's counts; valid only while the pack's bytes are.
  package struct Entry {
    package var number: Int
    /// Tag and value, if it first occurred in this pack.
    package var value: UnsafeRawBufferPointer?
    package var count: Int64
    /// The stored form of the slots.
    package var slots: UnsafeRawBufferPointer
  }

  /// Calls `body` with each entry of a pack, in order.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged` if the pack is damaged.
  static func forEach(_ pack: UnsafeRawBufferPointer, _ body: (Entry) throws -> Void) throws {
    var entries = Entries(pack)
    while let entry = entries.next() { try body(entry) }
    if entries.isDamaged { throw damage }
  }

  static var damage: WarehouseError {
    WarehouseError(.damaged, "The values of a property are damaged. Stop the server and run `tern rebuild`.")
  }

  /// Reads the entries of a pack in order, up to its end or to the first invalid one.
  package struct Entries: Sequence, IteratorProtocol {
    private var reader: ByteReader
    private var number = 0

    package init(_ pack: UnsafeRawBufferPointer) { reader = ByteReader(pack) }

    /// True after ``next()`` has ended before the end of the pack.
    package private(set) var isDamaged = false

    package mutating func next() -> Entry? {
      guard !reader.isAtEnd, !isDamaged else { return nil }
      let entry = read()
      isDamaged = entry == nil
      return entry
    }

    private mutating func read() -> Entry? {
      guard let step = reader.varint(), step <= UInt64(PropertyPack.other - number), let length = reader.varint() else {
        return nil
      }
      number += Int(step)
      var value: UnsafeRawBufferPointer?
      if length > 0 {
        guard let bytes = reader.bytes(Int(clamping: length) - 1) else { return nil }
        value = bytes
      }
      guard let count = reader.varint(), let slots = SlotSet.skip(&reader) else { return nil }
      return Entry(number: number, value: value, count: Int64(clamping: count), slots: slots)
    }
  }

  /// Appends everything before the slots.
  static func appendHead(
    step: Int, value: UnsafeRawBufferPointer?, count: Int64, to output: inout [UInt8]
  ) {
    output.appendVarint(UInt64(step))
    if let value {
      output.appendVarint(UInt64(value.count) + 1)
      output.append(contentsOf: value)
    } else {
      output.appendVarint(0)
    }
    output.appendVarint(UInt64(count))
  }

  /// Merges two packs.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged` if either pack is damaged.
  package static func merged(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) throws -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(left.count + right.count)
    var (lefts, rights) = (Entries(left), Entries(right))
    var (one, two) = (lefts.next(), rights.next())
    var previous = 0
    while one != nil || two != nil {
      let number = min(one?.number ?? .max, two?.number ?? .max)
      let first = one?.number == number ? one : nil
      let second = two?.number == number ? two : nil
      appendHead(
        step: number - previous, value: first?.value ?? second?.value,
        count: (first?.count ?? 0).addingSaturated(second?.count ?? 0), to: &output)
      previous = number
      if let first, let second {
        try SlotSet.appendUnion(first.slots, second.slots, to: &output)
      } else if let slots = first?.slots ?? second?.slots {
        output.append(contentsOf: slots)
      }
      if first != nil { one = lefts.next() }
      if second != nil { two = rights.next() }
    }
    if lefts.isDamaged || rights.isDamaged { throw damage }
    return output
  }
}

extension SlotSet {
  /// Appends the stored form of the union of two stored forms.
  static func appendUnion(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, to output: inout [UInt8]
  ) throws {
    if appendSmallUnion(left, right, to: &output) { return }
    var (leftReader, rightReader) = (ByteReader(left), ByteReader(right))
    guard let union = decode(&leftReader), let other = decode(&rightReader) else { throw PropertyPack.damage }
    union.formUnion(other)
    union.encode(into: &output)
  }

  /// Handles the most common case, both stored as differences, without the C library or `malloc`.
  private static func appendSmallUnion(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, to output: inout [UInt8]
  ) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: smallCount * 4) { memory in
      let lefts = UnsafeMutableBufferPointer(rebasing: memory[..<smallCount])
      let rights = UnsafeMutableBufferPointer(rebasing: memory[smallCount..<smallCount * 2])
      guard let leftCount = readSmall(left, into: lefts), let rightCount = readSmall(right, into: rights) else {
        return false
      }
      let union = UnsafeMutableBufferPointer(rebasing: memory[(smallCount * 2)...])
      let count = unite(lefts[..<leftCount], rights[..<rightCount], into: union)
      encode(UnsafeBufferPointer(rebasing: union[..<count]), into: &output)
      return true
    }
  }

  /// Merges ascending slots and returns the number of distinct ones.
  private static func unite(
    _ lefts: Slice<UnsafeMutableBufferPointer<UInt32>>, _ rights: Slice<UnsafeMutableBufferPointer<UInt32>>,
    into union: UnsafeMutableBufferPointer<UInt32>
  ) -> Int {
    var (one, two, count) = (0, 0, 0)
    while one < lefts.count || two < rights.count {
      if two == rights.count || one < lefts.count && lefts[one] < rights[two] {
        union[count] = lefts[one]
        one += 1
      } else {
        if one < lefts.count, lefts[one] == rights[two] { one += 1 }
        union[count] = rights[two]
        two += 1
      }
      count += 1
    }
    return count
  }

  /// Reads a set stored as differences; returns `nil` if it is stored otherwise or damaged.
  private static func readSmall(
    _ stored: UnsafeRawBufferPointer, into slots: UnsafeMutableBufferPointer<UInt32>
  ) -> Int? {
    var reader = ByteReader(stored)
    guard let header = reader.varint(), header & 1 == 0, header >> 1 <= UInt64(smallCount) else { return nil }
    var slot: UInt64 = 0
    for index in 0..<Int(header >> 1) {
      guard let difference = reader.varint(), difference <= UInt64(UInt32.max) else { return nil }
      slot += difference
      guard slot <= UInt64(UInt32.max) else { return nil }
      slots[index] = UInt32(slot)
    }
    return Int(header >> 1)
  }
}
