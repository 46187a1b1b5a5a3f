import TernBase
import Views
package import Warehouse

/// Counted days of views: days in their stored form, and each view's latest days in a form that can be counted further.
///
/// Bounded by a number of bytes; the least recently used entries are evicted first.
package final class ViewDayCache: Sendable {
  struct Key: Hashable {
    var view: View
    var rules: CustomRules
    var day: Int
  }

  struct Entry {
    var present: [UInt8]
    package var metrics: [UInt8]
    /// The state changes of the day, or `nil` for a sealed day, whose changes are stored.
    var changes: ViewChanges?
    /// The last row at the time of counting, or `nil` for a final day.
    var row: Int64?
    /// True if hits have arrived since.
    var isOutdated = false

    fileprivate var byteCount: Int {
      // The fixed part is the key, which contains the view and its rules.
      1_000 + present.count + metrics.count + (changes.map { $0.states.count * 200 + $0.orders.count * 400 } ?? 0)
    }
  }

  private enum Item: Hashable {
    case day(Key)
    case live(LiveView.Key)
  }

  private struct Use {
    var bytes: Int
    var turn: Int
  }

  private struct State {
    var days: [Key: Entry] = [:]
    var views: [LiveView.Key: Locked<LiveView>] = [:]
    var uses: [Item: Use] = [:]
    var bytes = 0
    var turn = 0

    mutating func note(_ item: Item, bytes size: Int?) {
      turn += 1
      let known = uses[item]?.bytes ?? 0
      uses[item] = Use(bytes: size ?? known, turn: turn)
      bytes += (size ?? known) - known
    }

    /// Evicts the least recently used entries, a quarter of the limit at a time, so that evictions are rare.
    mutating func shrink(to limit: Int) {
      guard bytes > limit else { return }
      for (item, use) in uses.sorted(by: { $0.value.turn < $1.value.turn }) where bytes > limit / 4 * 3 {
        switch item {
        case .day(let key): days[key] = nil
        case .live(let key): views[key] = nil
        }
        uses[item] = nil
        bytes -= use.bytes
      }
    }
  }

  /// The maximum size in bytes.
  let capacity: Int
  private let state = Locked(State())

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// The approximate size in bytes.
  var byteCount: Int { state.withLock { $0.bytes } }

  func entry(_ key: Key) -> Entry? {
    state.withLock { state in
      guard let entry = state.days[key] else { return nil }
      state.note(.day(key), bytes: nil)
      return entry
    }
  }

  func keep(_ entry: Entry, for key: Key) {
    state.withLock { state in
      state.days[key] = entry
      state.note(.day(key), bytes: entry.byteCount)
      state.shrink(to: capacity)
    }
  }

  /// Returns the latest days of a view. Hold the lock for the whole read: reads then take turns, and each day is
  /// counted only once. Open the snapshot only when the lock is held, because days cannot return to an earlier state.
  func live(_ key: LiveView.Key) -> Locked<LiveView> {
    state.withLock { state in
      state.note(.live(key), bytes: nil)
      if let known = state.views[key] { return known }
      let view = Locked(LiveView(dayCapacity: capacity / 2))
      state.views[key] = view
      return view
    }
  }

  /// The views whose days are kept.
  var liveViews: [LiveView.Key: Locked<LiveView>] { state.withLock { $0.views } }

  /// Drops the days of an app's views.
  package func forget(app: AppID) { forget { $0.app == app } }

  /// Drops the days of views.
  package func forget(where isGone: (View) -> Bool) {
    state.withLock { state in
      for (item, use) in state.uses {
        switch item {
        case .day(let key) where isGone(key.view): state.days[key] = nil
        case .live(let key) where isGone(key.view): state.views[key] = nil
        default: continue
        }
        state.uses[item] = nil
        state.bytes -= use.bytes
      }
    }
  }

  /// Returns true if the view's days are kept, or if there is room for them.
  func hasRoom(for key: LiveView.Key) -> Bool {
    state.withLock { $0.views[key] != nil || $0.bytes < capacity / 2 }
  }

  /// Records the size of a view's days after a read.
  func note(_ key: LiveView.Key, bytes: Int) {
    state.withLock { state in
      guard state.views[key] != nil else { return }
      state.note(.live(key), bytes: bytes)
      state.shrink(to: capacity)
    }
  }
}
