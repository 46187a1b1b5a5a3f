import Questions

/// The beginnings of sessions while their rows are collected, to leave out the rows that come too late for a path.
///
/// A row that arrives late can only make the nodes before another one more. So once a path is cut at a row, no row after that one
/// matters.
final class PathPrefixes {
  private struct Prefix: BitwiseCopyable {
    /// The last row of those that came in order; that at which the path was cut, if it was.
    var last: Moment
    /// The last node; negative for none.
    var node: Int32
    /// The number of nodes; negative before the start of the path.
    var count: Int32
  }

  /// `nil` if paths lead to an end, for which the last rows matter.
  private let depth: Int32?
  private let empty: Prefix
  private let prefixes = GrowingMemory<Prefix>()

  init(_ question: PathsQuestion) {
    depth = if case .end = question.anchor { nil } else { Int32(question.depth) }
    empty = Prefix(
      last: Moment(time: -1 << 53, inMillisecond: 0), node: PathNodes.noNode,
      count: question.anchor == .sessionStart ? 0 : -1)
  }

  var byteCount: Int { prefixes.count * MemoryLayout<Prefix>.stride }

  /// Makes room for a session.
  func add(_ session: Int) { while prefixes.count <= session { prefixes.append(empty) } }

  /// True if no row of the session matters from a moment on.
  func isCut(_ session: Int, at moment: Moment) -> Bool {
    guard let depth else { return false }
    let prefix = prefixes.elements[session]
    return prefix.count > depth && prefix.last <= moment
  }

  /// Adds the next row of a session; returns false if it doesn't matter.
  @inline(__always)
  func add(_ session: Int, _ moment: Moment, _ node: Int32, isAnchor: Bool) -> Bool {
    guard let depth, let prefix = prefixes.elements.baseAddress.map({ $0 + session }) else { return true }
    guard prefix.pointee.last <= moment else { return true }
    if prefix.pointee.count > depth { return false }
    prefix.pointee.last = moment
    if isAnchor, prefix.pointee.count < 0 { prefix.pointee.count = 0 }
    if prefix.pointee.count >= 0, node >= 0, node != prefix.pointee.node {
      prefix.pointee.node = node
      prefix.pointee.count += 1
    }
    return true
  }
}
