import TernBase
import Views
import Warehouse

/// A counted day that is not sealed, with everything needed to add further hits.
///
/// A hit can change any session of its user, so that user's part of the day is removed and recounted with the hit. Used
/// by one thread at a time.
final class LiveDay {
  var builder: ViewDayBuilder
  /// The places of the counted hits, sorted by user.
  var places: [ViewPlace] = []
  /// The states of its users when they were counted.
  var before: [UInt32: UserState] = [:]
  /// The last row that it covers.
  var row: Int64
  /// True if the hits that have arrived since can't be added: the day must be recounted. Until then, reports needn't look
  /// for arrivals again.
  var needsRecount = false
  /// Users whose state the day has changed since it was first counted, each with the last row at that time.
  private(set) var stateChanges: [(row: Int64, user: UInt32)] = []
  /// The row since which ``stateChanges`` is complete.
  private(set) var stateChangesSince: Int64

  private static let maximumStateChanges = 100_000

  /// The approximate size in bytes.
  var byteCount: Int {
    builder.byteCount + places.count * MemoryLayout<ViewPlace>.stride + before.count * 160 + stateChanges.count * 16
  }

  init(
    _ builder: ViewDayBuilder, row: Int64, stateChanges: [(row: Int64, user: UInt32)] = [],
    stateChangesSince: Int64? = nil
  ) {
    self.builder = builder
    self.row = row
    self.stateChangesSince = stateChangesSince ?? row
    self.stateChanges = stateChanges
  }

  func note(_ user: UInt32, _ row: Int64) {
    guard stateChanges.count < Self.maximumStateChanges else {
      stateChanges = []
      stateChangesSince = row
      return
    }
    stateChanges.append((row, user))
  }

  /// The places of a user's hits.
  func places(of user: UInt32) -> ArraySlice<ViewPlace> {
    let start = places.partition(user)
    var end = start
    while end < places.count, places[end].slot == user { end += 1 }
    return places[start..<end]
  }

  /// Adds places, sorted by user.
  func add(_ more: [ViewPlace]) {
    var merged: [ViewPlace] = []
    merged.reserveCapacity(places.count + more.count)
    var rest = more.sorted(by: ViewPlace.isBefore)[...]
    for place in places {
      while let next = rest.first, ViewPlace.isBefore(next, place) { merged.append(rest.removeFirst()) }
      merged.append(place)
    }
    places = merged + rest
  }
}

extension [ViewPlace] {
  /// The index of a user's first place, or the index at which to insert it.
  fileprivate func partition(_ user: UInt32) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].slot < user { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The latest days of one view, as last counted.
package final class LiveView {
  struct Key: Hashable {
    var view: View
    var rules: CustomRules
    /// Everything besides the hits that metrics depend on.
    var text: String { "\(view) \(rules)" }
  }

  /// The days that are kept.
  var days: [Int: LiveDay] { known }

  /// The number of days kept: those that can still receive hits in time, and one more.
  static let days = 3

  /// The maximum size of one day in bytes. A larger day is recounted when more hits have arrived.
  private let dayCapacity: Int
  private var known: [Int: LiveDay] = [:]
  private var large: Set<Int> = []
  /// The time of the last background count, in milliseconds.
  var backgroundCount: Int64?

  init(dayCapacity: Int) { self.dayCapacity = dayCapacity }

  subscript(day: Int) -> LiveDay? {
    get { known[day] }
    set {
      guard let newValue, newValue.byteCount > dayCapacity else {
        known[day] = newValue
        if known.count > Self.days, let oldest = known.keys.min() { known[oldest] = nil }
        return
      }
      known[day] = nil
      large.insert(day)
    }
  }

  /// Returns true if a day was too large to keep.
  func isLarge(_ day: Int) -> Bool { large.contains(day) }

  /// The approximate size of the days in bytes.
  var byteCount: Int { known.values.reduce(500) { $0 + $1.byteCount } }
}
