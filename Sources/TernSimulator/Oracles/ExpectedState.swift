import TernEvents
import TernLog

/// The expected state of every event, independent of the client's counts.
struct ExpectedState {
  struct Entry {
    let event: Event
    let isCritical: Bool
    /// The process that recorded it.
    let process: Int
    /// Its identity; `nil` if it is unknown which one was saved last.
    let identity: Int?
    let storedAt: Duration
    let bytes: Int
    /// True if the client has received the collector's acknowledgement.
    var isAcknowledged = false
    /// True if the client knows that the collector rejected it.
    var isRejected = false
    /// True if the collector has stored it.
    var isCommitted = false
    /// True if it was erased; unless `isExempt` is true, it must never arrive.
    var isErased = false
    /// True if it was in flight when it was erased.
    var isExempt = false
    /// The number of requests of living processes that contain it.
    var openRequests = 0
    /// True once a process has claimed it.
    var wasClaimed = false
  }

  private(set) var entries: [Entry] = []
  private var places: [UniqueID: Int] = [:]
  /// The number of acknowledged entries.
  private(set) var acknowledged = 0
  private(set) var rejected = 0
  /// The bytes of events that are neither acknowledged, rejected nor erased.
  private(set) var pendingBytes = 0
  /// Events that were dropped instead of stored.
  var refused: [DropReason: Int] = [:]

  var stored: Int { entries.count }
  var refusedTotal: Int { refused.values.reduce(0, +) }

  func place(of id: UniqueID) -> Int? { places[id] }

  subscript(place: Int) -> Entry {
    get { entries[place] }
    set { entries[place] = newValue }
  }

  /// Adds an event; returns false if its identifier is not unique.
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

  /// Marks matching events as erased.
  mutating func erase(where isConcerned: (Entry) -> Bool) {
    for place in entries.indices where !isOver(place) && isConcerned(entries[place]) {
      pendingBytes -= entries[place].bytes
      entries[place].isErased = true
      entries[place].isExempt = entries[place].isExempt || entries[place].openRequests > 0
    }
  }

  /// Returns the number of matching events that may still be waiting.
  func pending(where isConcerned: (Entry) -> Bool) -> Int {
    entries.indices.count { !isOver($0) && isConcerned(entries[$0]) }
  }

  private func isOver(_ place: Int) -> Bool {
    entries[place].isAcknowledged || entries[place].isRejected || entries[place].isErased
  }
}
