import CTernRoaring

/// An exact set of install slots, as a compressed bitmap.
///
/// A class, because it owns memory of the C library. Not thread-safe.
package final class SlotSet {
  private let handle: UnsafeMutablePointer<roaring_bitmap_t>?

  private init(handle: UnsafeMutablePointer<roaring_bitmap_t>?) { self.handle = handle }

  /// Creates an empty set.
  package convenience init() { self.init(handle: roaring_bitmap_create_with_capacity(0)) }

  /// Creates a set of some slots.
  package convenience init(_ slots: some Sequence<UInt32>) {
    self.init()
    for slot in slots { insert(slot) }
  }

  deinit { if let handle { roaring_bitmap_free(handle) } }

  package var count: Int { handle.map { Int(roaring_bitmap_get_cardinality($0)) } ?? 0 }

  /// The approximate size of the set in bytes.
  package var byteCount: Int { 120 + (handle.map { Int(roaring_bitmap_portable_size_in_bytes($0)) } ?? 0) }

  package func insert(_ slots: UnsafeBufferPointer<UInt32>) {
    guard let handle, let start = slots.baseAddress else { return }
    roaring_bitmap_add_many(handle, slots.count, start)
  }

  package func insert(_ slot: UInt32) { if let handle { roaring_bitmap_add(handle, slot) } }

  package func remove(_ slot: UInt32) { if let handle { roaring_bitmap_remove(handle, slot) } }

  package var isEmpty: Bool { handle.map { roaring_bitmap_is_empty($0) } ?? true }

  /// The smallest slot.
  package var first: UInt32? { isEmpty ? nil : handle.map { roaring_bitmap_minimum($0) } }

  /// Returns an independent copy.
  package func copy() -> SlotSet { handle.map { SlotSet(handle: roaring_bitmap_copy($0)) } ?? SlotSet() }

  package func contains(_ slot: UInt32) -> Bool { handle.map { roaring_bitmap_contains($0, slot) } ?? false }

  package func formUnion(_ other: SlotSet) {
    guard let handle, let other = other.handle else { return }
    roaring_bitmap_or_inplace(handle, other)
  }

  /// Adds all slots of another set without updating the count, which makes repeated unions cheaper. Call ``repair()``
  /// before any other method.
  package func formUnionLazily(_ other: SlotSet) {
    guard let handle, let other = other.handle else { return }
    roaring_bitmap_lazy_or_inplace(handle, other, true)
  }

  /// Updates the count after lazy unions.
  package func repair() { if let handle { roaring_bitmap_repair_after_lazy(handle) } }

  package func union(_ other: SlotSet) -> SlotSet {
    guard let handle, let other = other.handle else { return SlotSet() }
    return SlotSet(handle: roaring_bitmap_or(handle, other))
  }

  /// The number of slots in the union, without building it.
  package func unionCount(_ other: SlotSet) -> Int {
    guard let handle, let other = other.handle else { return 0 }
    return Int(roaring_bitmap_or_cardinality(handle, other))
  }

  /// The slots that are not in another set.
  package func subtracting(_ other: SlotSet) -> SlotSet {
    guard let handle, let other = other.handle else { return SlotSet() }
    return SlotSet(handle: roaring_bitmap_andnot(handle, other))
  }

  package func intersection(_ other: SlotSet) -> SlotSet {
    guard let handle, let other = other.handle else { return SlotSet() }
    return SlotSet(handle: roaring_bitmap_and(handle, other))
  }

  package func isEqual(_ other: SlotSet) -> Bool {
    guard let handle, let other = other.handle else { return false }
    return roaring_bitmap_equals(handle, other)
  }

  /// All slots in ascending order.
  package var elements: [UInt32] {
    guard let handle else { return [] }
    return Array(unsafeUninitializedCapacity: count) { buffer, used in
      used = count
      if let start = buffer.baseAddress { roaring_bitmap_to_uint32_array(handle, start) }
    }
  }
}

// MARK: - Stored form

/// The stored form of a set. Small sets are a varint `count << 1` and ascending differences as varints; large ones are
/// `bytes << 1 | 1` and the portable Roaring format. A Roaring set of one slot takes 18 bytes; this takes two to five.
extension SlotSet {
  /// The largest number of slots that is stored as differences.
  package static let smallCount = 48

  /// Appends the stored form of ascending, distinct slots.
  package static func encode(_ slots: UnsafeBufferPointer<UInt32>, into output: inout [UInt8]) {
    guard slots.count > smallCount else {
      output.appendVarint(UInt64(slots.count) << 1)
      var previous: UInt32 = 0
      for slot in slots {
        output.appendVarint(UInt64(slot - previous))
        previous = slot
      }
      return
    }
    let set = SlotSet()
    set.insert(slots)
    set.encode(into: &output)
  }

  /// Appends the stored form.
  package func encode(into output: inout [UInt8]) {
    guard let handle else { return output.appendVarint(0) }
    if count <= Self.smallCount {
      return elements.withUnsafeBufferPointer { Self.encode($0, into: &output) }
    }
    roaring_bitmap_run_optimize(handle)
    let size = roaring_bitmap_portable_size_in_bytes(handle)
    output.appendVarint(UInt64(size) << 1 | 1)
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: size))
    output.withUnsafeMutableBytes { bytes in
      _ = roaring_bitmap_portable_serialize(
        handle,
        bytes.baseAddress?.advanced(by: start).bindMemory(
          to: CChar.self, capacity: size))
    }
  }

  /// Reads a stored form at the reader's position, or returns `nil` if it is invalid.
  package static func decode(_ reader: inout ByteReader) -> SlotSet? {
    guard let header = reader.varint() else { return nil }
    if header & 1 == 1 {
      guard let bytes = reader.bytes(Int(header >> 1)), let start = bytes.baseAddress, RoaringFormat.isValid(bytes)
      else { return nil }
      let characters = start.bindMemory(to: CChar.self, capacity: bytes.count)
      guard let handle = roaring_bitmap_portable_deserialize_safe(characters, bytes.count) else { return nil }
      return SlotSet(handle: handle)
    }
    let set = SlotSet()
    var slot: UInt64 = 0
    for index in 0..<(header >> 1) {
      guard let difference = reader.varint(), difference <= UInt64(UInt32.max), index == 0 || difference > 0 else {
        return nil
      }
      slot += difference
      guard slot <= UInt64(UInt32.max) else { return nil }
      set.insert(UInt32(slot))
    }
    return set
  }

  /// Moves the reader past a stored form and returns its bytes, or `nil` if it is invalid.
  package static func skip(_ reader: inout ByteReader) -> UnsafeRawBufferPointer? {
    let start = reader.position
    guard let header = reader.varint() else { return nil }
    if header & 1 == 1 {
      guard reader.bytes(Int(header >> 1)) != nil else { return nil }
    } else {
      for _ in 0..<(header >> 1) { guard reader.varint() != nil else { return nil } }
    }
    return reader.slice(from: start)
  }
}
