import Ingest
package import JSON
package import Warehouse

/// A question as what all kinds have in common: described members, and a scope.
package protocol ScopedQuestion: JSONDescribed {
  var scope: QuestionScope { get set }
  /// The dimensions that the question names outside its scope.
  var dimensions: [QuestionDimension] { get }
}

/// The definition of one kind of question, from which decoding and the API's schemas come.
package struct QuestionDefinition: Sendable {
  /// One sentence about the answer.
  package let summary: String
  package let answer: Schema
  let codec: JSONCodec<Question>

  init<Value: ScopedQuestion>(
    _ question: @escaping @Sendable (Value) -> Question, _ summary: String, answer: Schema
  ) {
    self.summary = summary
    self.answer = answer
    let members = Value.members + Value.scopeMembers
    codec = JSONCodec(members.schema(Value.standard)) { node throws(JSONFault) in
      var value = Value.standard
      try members.decode(node, into: &value)
      return question(value)
    } encode: {
      $0.json()
    }
  }

  package var question: Schema { codec.schema }
}

extension ScopedQuestion {
  /// The members that all questions have.
  static var scopeMembers: [JSONMember<Self>] { QuestionScope.members.map { $0.lifted(\.scope) } }

  /// The members with their values, except for those of the scope.
  var ownMembers: [(String, JSONTree)] { Self.members.encode(self) }

  /// The question over other rows.
  func over(_ scope: QuestionScope) -> Self {
    var question = self
    question.scope = scope
    return question
  }
}

extension Question {
  /// Decodes a question; throws an error that names the place of the fault.
  package init(
    _ kind: Kind, json bytes: [UInt8], segments: SegmentFilters = SegmentFilters()
  ) throws(QuestionError) {
    self = try QuestionError.reading { () throws(JSONFault) in
      try kind.definition.codec.decode(JSONNode(value: try JSONTree(parsing: bytes), context: segments))
    }
  }

  /// Decodes a question that may name its kind in the member `kind`; without one it is a query.
  package init(json bytes: [UInt8], segments: SegmentFilters = SegmentFilters()) throws(QuestionError) {
    self = try QuestionError.reading { () throws(JSONFault) in
      var tree = try JSONTree(parsing: bytes)
      var kind = Kind.query
      if case .object(var members) = tree, let index = members.firstIndex(where: { $0.name.hasBytes(of: "kind") }) {
        kind = try JSONCodec<Kind>.choice.decode(JSONNode(value: members.remove(at: index).value, path: "$.kind"))
        tree = .object(members)
      }
      return try kind.definition.codec.decode(JSONNode(value: tree, context: segments))
    }
  }

  /// The question with every default.
  ///
  /// - Parameter segment: The number of a segment that limits the question, too.
  package func json(segment: Int? = nil) -> JSONTree {
    let segment = segment.map { [JSONTree.array([.text("segment"), .integer($0)])] } ?? []
    let filters = JSONTree.array(scope.filters.map(JSONCodec.filter.encode) + segment)
    let shared = QuestionScope.members.encode(scope).map { ($0.0, $0.0 == "filters" ? filters : $0.1) }
    return .object(content.value.ownMembers + shared)
  }

  /// The question as understood, with every default and the days of its range.
  package func understood(today: Day) -> JSONTree { resolved(today: today).json() }

  /// The schemas of all kinds, and those that they refer to by name.
  package static var schemas: Schema.Members {
    let kinds = Kind.allCases.flatMap { kind in
      [("\(kind.schemaName)Question", kind.definition.question), ("\(kind.schemaName)Answer", kind.definition.answer)]
    }
    let shared: Schema.Members = [
      "DateRange": QuestionRange.schema, "Metric": QuestionMetric.schema, "MetricName": QuestionMetric.nameSchema,
      "PlainDimension": QuestionDimension.plainSchema, "PropertyDimension": .pattern("^property:"),
      "Dimension": .anyOf(.named("PlainDimension"), .named("PropertyDimension")),
      "BinnedDimension": QueryQuestion.binnedSchema, "Selector": Selector.schema(),
    ]
    return Schema.Members(kinds) + shared
      + Schema.Members(FilterPlace.allCases.map { ($0.rawValue, QuestionFilter.schema($0)) })
  }
}

extension Question.Kind {
  /// The first part of the names of the question's schemas.
  package var schemaName: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension QuestionScope: JSONDescribed {
  package static let standard = QuestionScope()
  package static let members: [JSONMember<QuestionScope>] = [
    .optional("date_range", \.range, .range),
    .optional("filters", \.filters, .list(.filter, 0...QuestionFilter.maximumCount)),
    .optional("by", \.person, .choice),
  ]
}
