/// The scheduled events of a device in chronological order; simultaneous events keep the order of scheduling.
struct EventQueue {
  struct Item {
    let time: Duration
    let number: Int
    let event: SimulationEvent

    func isBefore(_ other: Item) -> Bool {
      time != other.time ? time < other.time : number < other.number
    }
  }

  /// A binary heap with the next item first.
  private var items: [Item] = []
  private var count = 0

  mutating func add(_ event: SimulationEvent, at time: Duration) {
    count += 1
    items.append(Item(time: time, number: count, event: event))
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].isBefore(items[parent]) else { break }
      items.swapAt(child, parent)
      child = parent
    }
  }

  mutating func next() -> Item? {
    guard let first = items.first else { return nil }
    let last = items.removeLast()
    if items.isEmpty { return first }
    items[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && items[child].isBefore(items[least]) {
        least = child
      }
      if least == parent { return first }
      items.swapAt(parent, least)
      parent = least
    }
  }
}

/// A scheduled event. Processes are identified by number, so that no event reaches a later process by mistake.
enum SimulationEvent {
  /// The app is used.
  case use
  /// The app performs an action, followed by the given number of further ones.
  case act(process: Int, remaining: Int)
  case leave(process: Int)
  case suspend(process: Int)
  case end(process: Int)
  case timer(process: Int, number: Int)
  /// The delivery loop of a busy process handles its messages.
  case drain(process: Int)
  /// A request reaches the collector, or would have.
  case arrival(request: Int)
  /// The response or failure reaches the device.
  case answer(request: Int)
  case networkChanges
  case collectorChanges
  case diskChanges
  case clockJumps
  case reboots
  /// Another process opens the same directory.
  case companion
}
