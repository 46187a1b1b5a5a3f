package import JSON

/// The releases of an app, each against the one before at equal age.
package struct ReleasesQuestion: Hashable, Sendable {
  package var scope: QuestionScope
  package var conversions: [Conversion]
  /// The most days of a release that are compared.
  package var days: Int
  /// The most releases of the answer.
  package var limit: Int

  package init(
    scope: QuestionScope = QuestionScope(), conversions: [Conversion] = [], days: Int = 14, limit: Int = 10
  ) {
    self.scope = scope
    self.conversions = conversions
    self.days = days
    self.limit = limit
  }

  /// A thing that the users of a release should do, as a figure.
  package enum Conversion: Hashable, Sendable {
    /// The share of those who took the first step that took the last one, too. The scope of the funnel is that of the
    /// question.
    case funnel(FunnelQuestion)
    /// The number of matching rows of a user.
    case perUser(Selector)
  }
}

extension ReleasesQuestion: ScopedQuestion {
  /// The most conversions.
  package static let maximumConversions = 2

  package static let standard = ReleasesQuestion()
  package static let members: [JSONMember<ReleasesQuestion>] = [
    .optional("conversions", \.conversions, .list(.conversion, 0...maximumConversions)),
    .optional("days", \.days, .integer(1...90)), .optional("limit", \.limit, .integer(1...50)),
  ]

  package var dimensions: [QuestionDimension] { [.version] + conversions.flatMap(\.dimensions) }
}

extension ReleasesQuestion.Conversion {
  /// The conversion in questions.
  package var json: JSONTree { JSONCodec<ReleasesQuestion.Conversion>.conversion.encode(self) }

  fileprivate var dimensions: [QuestionDimension] {
    switch self {
    case .funnel(let funnel): funnel.dimensions
    case .perUser(let selector): selector.dimensions
    }
  }
}

extension JSONCodec<ReleasesQuestion.Conversion> {
  /// A funnel, or a selector of the rows to count: `{"per_user": {"event": "Purchase"}}`.
  package static var conversion: JSONCodec {
    JSONCodec(
      .anyOf(
        .object(["funnel": FunnelQuestion.stepMembers.schema(.standard)]), .object(["per_user": .named("Selector")]))
    ) { node throws(JSONFault) in
      let members = try node.members(["funnel", "per_user"])
      switch (members.optional("funnel"), members.optional("per_user")) {
      case (let node?, nil):
        var funnel = FunnelQuestion.standard
        try FunnelQuestion.stepMembers.decode(node, into: &funnel)
        return .funnel(funnel)
      case (nil, let node?): return .perUser(try JSONCodec<Selector>.selector.decode(node))
      default: throw node.fault("Expected {\"funnel\": {…}} or {\"per_user\": {…}}.")
      }
    } encode: { conversion in
      switch conversion {
      case .funnel(let funnel): .object([("funnel", .object(FunnelQuestion.stepMembers.encode(funnel)))])
      case .perUser(let selector): .object([("per_user", JSONCodec<Selector>.selector.encode(selector))])
      }
    }
  }
}
