import Warehouse

/// The rows that were found to be unreadable, for work that must get on without them.
///
/// Without this object, an ``EventScan`` fails at the first of them.
final class DamagedRows {
  private struct Place: Hashable {
    var path: String
    var ids: ClosedRange<Int64>?
  }

  private var places: Set<Place> = []
  /// A message for each damage.
  private(set) var messages: [String] = []
  private let report: (String) -> Void

  /// - Parameter report: Receives a message for each damage, once.
  init(report: @escaping (String) -> Void = { _ in }) { self.report = report }

  /// Records that rows of a segment can't be read; no rows if only the segment's header is damaged.
  func note(_ ids: ClosedRange<Int64>?, in path: String) {
    guard places.insert(Place(path: path, ids: ids)).inserted else { return }
    let message =
      if let ids {
        "\(path) is damaged: events \(ids.lowerBound) to \(ids.upperBound) can't be read."
      } else {
        "\(path) is missing or its header is damaged."
      }
    messages.append(message)
    report(message)
  }
}
