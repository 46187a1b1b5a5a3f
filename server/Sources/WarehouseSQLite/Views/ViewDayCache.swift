import TernBase
import Views
import Warehouse

/// Counted days of views: in their stored form, and the last days of views as they were counted, to be counted on.
///
/// All of it takes no more than a number of bytes: what was asked for longest ago goes first.
final class ViewDayCache: Sendable {
  struct Key: Hashable {
    var view: View
    var rules: CustomRules
    var day: Int
  }

  struct Entry {
    var present: [UInt8]
    var metrics: [UInt8]
    /// What the day changed of what is remembered; `nil` for a sealed day, beside which that is stored.
    var changes: ViewChanges?
    /// The last row when it was counted; `nil` for a day that is final.
    var row: Int64?

    fileprivate var byteCount: Int {
      // The key names the view and its rules.
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

    /// Gives up what was asked for longest ago, a quarter at once, so that it is long until the next time.
    mutating func shrink(to most: Int) {
      guard bytes > most else { return }
      for (item, use) in uses.sorted(by: { $0.value.turn < $1.value.turn }) where bytes > most / 4 * 3 {
        switch item {
        case .day(let key): days[key] = nil
        case .live(let key): views[key] = nil
        }
        uses[item] = nil
        bytes -= use.bytes
      }
    }
  }

  /// The bytes that it may take.
  let capacity: Int
  private let state = Locked(State())

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// About how many bytes it takes.
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

  /// The days of a view. Questions take turns, so that a day is counted once for all: hold the lock for the whole
  /// question, and look at the data only when it is held, as days cannot go back to an earlier state.
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

  /// True if the view's days are kept, or there is room for them.
  func hasRoom(for key: LiveView.Key) -> Bool {
    state.withLock { $0.views[key] != nil || $0.bytes < capacity / 2 }
  }

  /// Notes the size of a view's days after a question.
  func note(_ key: LiveView.Key, bytes: Int) {
    state.withLock { state in
      guard state.views[key] != nil else { return }
      state.note(.live(key), bytes: bytes)
      state.shrink(to: capacity)
    }
  }
}
