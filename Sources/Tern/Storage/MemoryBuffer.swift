package import TernLog

/// A bounded queue in memory for records that the disk refuses, in their order.
///
/// When it is full, room is made as in the queue on disk: the oldest of the lowest priority go first, and nothing goes
/// for something less important than itself.
package struct MemoryBuffer<Element: Sendable>: Sendable {
  /// The most elements, so that small ones are bounded too.
  package let maximumCount: Int
  /// The most bytes, as the elements are going to have on disk.
  package let maximumBytes: Int

  /// By `Lane.rawValue`.
  private var lanes: [[(element: Element, bytes: Int)]] = [[], []]
  private var bytes = [0, 0]

  package init(maximumCount: Int = 1_000, maximumBytes: Int = 256 << 10) {
    self.maximumCount = max(maximumCount, 1)
    self.maximumBytes = max(maximumBytes, 1)
  }

  package var count: Int { lanes[0].count + lanes[1].count }
  package var isEmpty: Bool { count == 0 }

  /// Keeps an element; returns those that had to go for it, or the element itself when it is the one.
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

  /// Takes out what ``first`` names.
  package mutating func removeFirst() {
    if !isEmpty { _ = removeFirst(lanes[1].isEmpty ? 0 : 1) }
  }

  /// Takes out what matches.
  package mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
    var gone: [Element] = []
    for lane in lanes.indices {
      gone += lanes[lane].lazy.map(\.element).filter(matches)
      lanes[lane].removeAll { matches($0.element) }
      bytes[lane] = lanes[lane].reduce(0) { $0 + $1.bytes }
    }
    return gone
  }

  /// Changes every element in place; its size counts as before.
  package mutating func update(_ change: (inout Element) -> Void) {
    for lane in lanes.indices {
      for index in lanes[lane].indices { change(&lanes[lane][index].element) }
    }
  }

  /// Looks at every element.
  package func forEach(_ body: (Element) -> Void) {
    for lane in lanes { for held in lane { body(held.element) } }
  }
}
