package import TernLog

/// A bounded FIFO queue in memory for records that the disk refuses.
///
/// When full, it evicts like the queue on disk: the oldest records of the lowest priority go first, and no record is
/// evicted for a less important one.
package struct MemoryBuffer<Element: Sendable>: Sendable {
  /// The maximum number of elements, which also bounds the overhead of small ones.
  package let maximumCount: Int
  /// The maximum total size of the elements, in the bytes given to `add`.
  package let maximumBytes: Int

  /// Indexed by `Lane.rawValue`.
  private var lanes: [[(element: Element, bytes: Int)]] = [[], []]
  private var bytes = [0, 0]

  package init(maximumCount: Int = 1_000, maximumBytes: Int = 256 << 10) {
    self.maximumCount = max(maximumCount, 1)
    self.maximumBytes = max(maximumBytes, 1)
  }

  package var count: Int { lanes[0].count + lanes[1].count }
  package var isEmpty: Bool { count == 0 }

  /// Adds an element; returns the evicted elements, or the element itself if it does not fit.
  package mutating func add(_ element: Element, bytes size: Int, _ lane: Lane) -> [Element] {
    let (kept, keptBytes) = lane == .critical ? (0, 0) : (lanes[1].count, bytes[1])
    guard kept < maximumCount, keptBytes + size <= maximumBytes else { return [element] }
    var gone: [Element] = []
    while count >= maximumCount || bytes[0] + bytes[1] + size > maximumBytes {
      gone.append(removeFirst(lanes[0].isEmpty ? 1 : 0))
    }
    lanes[Int(lane.rawValue)].append((element, size))
    bytes[Int(lane.rawValue)] += size
    return gone
  }

  private mutating func removeFirst(_ lane: Int) -> Element {
    let first = lanes[lane].removeFirst()
    bytes[lane] -= first.bytes
    return first.element
  }

  /// The oldest element, critical ones first.
  package var first: (element: Element, lane: Lane)? {
    for lane in [Lane.critical, .normal] {
      if let first = lanes[Int(lane.rawValue)].first { return (first.element, lane) }
    }
    return nil
  }

  /// Removes ``first``.
  package mutating func removeFirst() {
    if !isEmpty { _ = removeFirst(lanes[1].isEmpty ? 0 : 1) }
  }

  /// Removes and returns the matching elements.
  package mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
    var gone: [Element] = []
    for lane in lanes.indices {
      gone += lanes[lane].lazy.map(\.element).filter(matches)
      lanes[lane].removeAll { matches($0.element) }
      bytes[lane] = lanes[lane].reduce(0) { $0 + $1.bytes }
    }
    return gone
  }

  /// Updates every element in place; its recorded size does not change.
  package mutating func update(_ change: (inout Element) -> Void) {
    for lane in lanes.indices {
      for index in lanes[lane].indices { change(&lanes[lane][index].element) }
    }
  }

  /// Calls `body` with every element.
  package func forEach(_ body: (Element) -> Void) {
    for lane in lanes { for held in lane { body(held.element) } }
  }
}
