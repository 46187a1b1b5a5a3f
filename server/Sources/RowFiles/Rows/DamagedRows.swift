import TernBase
import Warehouse

/// The rows that were found to be unreadable, for work that must get on without them.
///
/// Without such an object, an ``EventScan`` fails at the first of them.
package final class DamagedRows: Sendable {
  /// The object for scans that are created without one; `nil`, the default, to fail.
  @TaskLocal package static var tolerated: DamagedRows?

  private struct Place: Hashable {
    var path: String
    var ids: ClosedRange<Int64>?
  }

  private struct State {
    var places: Set<Place> = []
    var messages: [(path: String, text: String)] = []
  }

  private let state = Locked(State())
  private let report: @Sendable (String) -> Void

  /// - Parameter report: Receives a message for each damage, once.
  package init(report: @escaping @Sendable (String) -> Void = { _ in }) { self.report = report }

  /// A message for each damage.
  package var messages: [String] { state.withLock { $0.messages.map(\.text) } }

  /// The IDs of rows that can't be read, ascending. Some of them may have had no row.
  package var ids: [ClosedRange<Int64>] {
    state.withLock { $0.places.compactMap(\.ids) }.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Records that rows of a segment can't be read; no rows if only the segment's header is damaged.
  package func note(_ ids: ClosedRange<Int64>?, in path: String) { note(Place(path: path, ids: ids)) }

  /// Records the damage that another object recorded.
  package func note(_ other: DamagedRows) {
    for place in other.state.withLock({ $0.places }) { note(place) }
  }

  /// Forgets a segment whose rows can be read again.
  package func forget(_ path: String) {
    state.withLock { state in
      state.places = state.places.filter { $0.path != path }
      state.messages.removeAll { $0.path == path }
    }
  }

  private func note(_ place: Place) {
    let message =
      if let ids = place.ids {
        "\(place.path) is damaged: events \(ids.lowerBound) to \(ids.upperBound) can't be read."
      } else {
        "\(place.path) is missing or its header is damaged."
      }
    let isNew = state.withLock { state in
      guard state.places.insert(place).inserted else { return false }
      state.messages.append((place.path, message))
      return true
    }
    if isNew { report(message) }
  }
}
