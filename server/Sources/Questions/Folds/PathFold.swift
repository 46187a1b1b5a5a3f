/// The path of one session: its nodes in order, repeats in a row collapsed, from or up to the anchor.
package struct PathFold: Sendable {
  private let depth: Int
  private let direction: Direction
  private var nodes: [Int32] = []
  private var isAnchored: Bool
  private var isCut = false
  private var result: SessionPath?

  private enum Direction {
    case forwards, backwards
  }

  /// Creates a fold for a question about paths.
  package init(_ question: PathsQuestion) {
    depth = question.depth
    if case .end = question.anchor { direction = .backwards } else { direction = .forwards }
    isAnchored = question.anchor == .sessionStart
    startsAnchored = isAnchored
  }

  private let startsAnchored: Bool

  /// Adds the session's next row.
  ///
  /// - Parameters:
  ///   - node: The number of the row's node; `nil` if it is none, such as a crash.
  ///   - isAnchor: True if the row matches the start or the end of the question.
  package mutating func add(node: Int32?, isAnchor: Bool) {
    if isAnchor { isAnchored = true }
    switch direction {
    case .forwards:
      guard isAnchored, let node, node != nodes.last, !isCut else { return }
      if nodes.count == depth { isCut = true } else { nodes.append(node) }
    case .backwards:
      if let node, node != nodes.last {
        nodes.append(node)
        if nodes.count > depth {
          nodes.removeFirst()
          isCut = true
        }
      }
      if isAnchor, !nodes.isEmpty { result = SessionPath(nodes: nodes.reversed(), isCut: isCut) }
    }
  }

  /// Returns the path and forgets the session; `nil` if it has no node.
  package mutating func finish() -> SessionPath? {
    defer {
      nodes.removeAll(keepingCapacity: true)
      isAnchored = startsAnchored
      isCut = false
      result = nil
    }
    if direction == .backwards { return result }
    return nodes.isEmpty ? nil : SessionPath(nodes: nodes, isCut: isCut)
  }
}

/// The path of one session, from the anchor on: for paths that lead to an end, the end comes first.
package struct SessionPath: Equatable, Sendable {
  package var nodes: [Int32]
  /// True if the session has further nodes beyond the depth.
  package var isCut: Bool
}
