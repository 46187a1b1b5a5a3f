import TernEvents
import TernLog

/// What the simulator knows of every event, kept apart from what the client counts.
struct ExpectedState {
  struct Entry {
    let event: Event
    let isCritical: Bool
    /// The process that recorded it.
    let process: Int
    /// Whose it is; `nil` when nobody knows which identity was written down last.
    let identity: Int?
    let storedAt: Duration
    let bytes: Int
    /// The client learned that the collector has it.
    var isAcknowledged = false
    /// The client learned that the collector never takes it.
    var isRejected = false
    /// The collector has it.
    var isCommitted = false
    /// It was erased; unless `isExempt` it must never arrive.
    var isErased = false
    /// A request with it was under way when it was erased.
    var isExempt = false
    /// In how many requests of living processes it is.
    var openRequests = 0
    /// The processes that claimed it.
    var wasClaimed = false
  }

  private(set) var entries: [Entry] = []
  private var places: [UniqueID: Int] = [:]
  /// How many of the entries were told of.
  private(set) var acknowledged = 0
  private(set) var rejected = 0
  /// Bytes of events that are neither told of nor rejected nor erased.
  private(set) var pendingBytes = 0
  /// Events that were dropped instead of being stored.
  var refused: [DropReason: Int] = [:]

  var stored: Int { entries.count }
  var refusedTotal: Int { refused.values.reduce(0, +) }

  func place(of id: UniqueID) -> Int? { places[id] }

  subscript(place: Int) -> Entry {
    get { entries[place] }
    set { entries[place] = newValue }
  }

  /// False when there is an event of this identifier already.
  mutating func add(_ entry: Entry) -> Bool {
    guard places.updateValue(entries.count, forKey: entry.event.id) == nil else { return false }
    entries.append(entry)
    pendingBytes += entry.bytes
    return true
  }

  mutating func acknowledge(_ place: Int, isRejected: Bool) {
    if !isOver(place) { pendingBytes -= entries[place].bytes }
    if isRejected {
      if !entries[place].isRejected { rejected += 1 }
      entries[place].isRejected = true
    } else {
      if !entries[place].isAcknowledged { acknowledged += 1 }
      entries[place].isAcknowledged = true
    }
  }

  /// Takes note that everything `where` says so was erased.
  mutating func erase(where isConcerned: (Entry) -> Bool) {
    for place in entries.indices where !isOver(place) && isConcerned(entries[place]) {
      pendingBytes -= entries[place].bytes
      entries[place].isErased = true
      entries[place].isExempt = entries[place].isExempt || entries[place].openRequests > 0
    }
  }

  /// How many events that may still wait are such.
  func pending(where isConcerned: (Entry) -> Bool) -> Int {
    entries.indices.count { !isOver($0) && isConcerned(entries[$0]) }
  }

  private func isOver(_ place: Int) -> Bool {
    entries[place].isAcknowledged || entries[place].isRejected || entries[place].isErased
  }
}
