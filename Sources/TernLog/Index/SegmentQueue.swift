/// The segments of one lane, oldest first. Removing the oldest does not move the others.
struct SegmentQueue {
  private var storage: [Segment] = []
  private var head = 0

  var isEmpty: Bool { head == storage.count }
  var indices: Range<Int> { head..<storage.count }
  var last: Segment? { isEmpty ? nil : storage[storage.count - 1] }

  subscript(index: Int) -> Segment {
    _read { yield storage[index] }
    _modify { yield &storage[index] }
  }

  /// Inserts a segment in the order of numbers: at the end, unless it is read late.
  mutating func add(_ segment: Segment) {
    guard let last, last.name.number > segment.name.number else { return storage.append(segment) }
    storage.insert(segment, at: firstIndex(from: segment.name.number))
  }

  /// The index of the segment with this number, if there is one.
  func index(of number: UInt64) -> Int? {
    // Nearly every append goes into the newest segment.
    if let newest = storage.indices.last, newest >= head, storage[newest].name.number == number { return newest }
    let index = firstIndex(from: number)
    return index < storage.count && storage[index].name.number == number ? index : nil
  }

  /// The index of the first segment whose number is not below `number`.
  func firstIndex(from number: UInt64) -> Int {
    var low = head
    var high = storage.count
    while low < high {
      let middle = (low + high) / 2
      if storage[middle].name.number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func remove(at index: Int) {
    guard index == head else {
      storage.remove(at: index)
      return
    }
    head += 1
    // Free the empty slots once they are half of all, so that each removal moves one segment on average.
    if head == storage.count || head > 64, head * 2 >= storage.count {
      storage.removeFirst(head)
      head = 0
    }
  }
}
