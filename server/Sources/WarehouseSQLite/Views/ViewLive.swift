import TernBase
import Views
import Warehouse

/// A day that is not sealed, as it was counted, and what it takes to count on when more hits have come.
///
/// A hit changes the sessions of one user, so that user's part of the day is taken away and counted anew with it. Used by
/// one thread at a time.
final class LiveDay {
  var builder: ViewDayBuilder
  /// Where the hits are that it counts, user after user.
  var places: [ViewPlace] = []
  /// What was known of its users when they were counted.
  var before: [UInt32: UserState] = [:]
  /// The last row that it covers.
  var row: Int64
  /// Users whose remembered state the day changed in another way than before, and the row that had come by then.
  private(set) var news: [(row: Int64, user: UInt32)] = []
  /// The row since which ``news`` is complete.
  private(set) var since: Int64

  private static let mostNews = 100_000

  /// About how many bytes it takes.
  var byteCount: Int {
    builder.byteCount + places.count * MemoryLayout<ViewPlace>.stride + before.count * 160 + news.count * 16
  }

  init(_ builder: ViewDayBuilder, row: Int64, since: Int64? = nil, news: [(row: Int64, user: UInt32)] = []) {
    self.builder = builder
    self.row = row
    self.since = since ?? row
    self.news = news
  }

  func note(_ user: UInt32, _ row: Int64) {
    guard news.count < Self.mostNews else {
      news = []
      since = row
      return
    }
    news.append((row, user))
  }

  /// Where the hits of a user are.
  func places(of user: UInt32) -> ArraySlice<ViewPlace> {
    let start = places.partition(user)
    var end = start
    while end < places.count, places[end].slot == user { end += 1 }
    return places[start..<end]
  }

  /// Adds places, each of users in order.
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
  /// The first place of a user, or where it would be.
  fileprivate func partition(_ user: UInt32) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].slot < user { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The last days of one view, as they were counted for the last question.
final class LiveView {
  struct Key: Hashable {
    var view: View
    var rules: CustomRules
    /// All that figures depend on besides the hits.
    var text: String { "\(view) \(rules)" }
  }

  /// The days that are kept.
  var days: [Int: LiveDay] { known }

  /// Days that are kept: those of which hits still come in time, and one more.
  static let days = 3

  /// The bytes that one day may take; one that takes more is counted anew when more hits have come.
  private let dayCapacity: Int
  private var known: [Int: LiveDay] = [:]
  private var large: Set<Int> = []
  /// When hits were last counted in the background.
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

  /// True if a day was too large to be kept.
  func isLarge(_ day: Int) -> Bool { large.contains(day) }

  /// About how many bytes the days take.
  var byteCount: Int { known.values.reduce(500) { $0 + $1.byteCount } }
}
