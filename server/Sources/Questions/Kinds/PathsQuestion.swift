package import JSON

/// The sequences of screens and events within sessions.
package struct PathsQuestion: Hashable, Sendable {
  package var scope: QuestionScope
  package var nodes: Nodes
  package var anchor: Anchor
  /// The most nodes of one path.
  package var depth: Int
  /// The most edges of the answer.
  package var limit: Int

  package init(
    scope: QuestionScope = QuestionScope(), nodes: Nodes = .screens, anchor: Anchor = .sessionStart, depth: Int = 5,
    limit: Int = 50
  ) {
    self.scope = scope
    self.nodes = nodes
    self.anchor = anchor
    self.depth = depth
    self.limit = limit
  }

  package enum Nodes: String, CaseIterable, Sendable {
    case screens, events, both
  }

  /// The place at which paths begin.
  package enum Anchor: Hashable, Sendable {
    case sessionStart
    /// Forwards from a session's first matching row.
    case start(Selector)
    /// Backwards from a session's last matching row.
    case end(Selector)
  }
}

extension PathsQuestion: ScopedQuestion {
  /// The most nodes of a path.
  static let maximumDepth = 20

  package static let standard = PathsQuestion()
  package static let members: [JSONMember<PathsQuestion>] = [
    .optional("nodes", \.nodes, .choice), .optional("start", \.start, .selector, isWritten: false),
    .optional("end", \.end, .selector, isWritten: false)
      .refused("A path has a start or an end, not both.") { $0.start != nil },
    .optional("depth", \.depth, .integer(2...maximumDepth)), .optional("limit", \.limit, .integer(1...1_000)),
  ]

  package var dimensions: [QuestionDimension] { (start ?? end)?.dimensions ?? [] }

  private var start: Selector? {
    get { if case .start(let selector) = anchor { selector } else { nil } }
    set { anchor = newValue.map { .start($0) } ?? .sessionStart }
  }

  private var end: Selector? {
    get { if case .end(let selector) = anchor { selector } else { nil } }
    set { anchor = newValue.map { .end($0) } ?? .sessionStart }
  }
}
