import JSON
package import Questions
import ServerBase
package import Warehouse

/// A conversion in an address: `event Purchase` and the other choices of rows count rows per user; `funnel` is followed by the
/// query of a funnel's address.
enum ReleaseConversion {
  case perUser(RowChoice)
  case funnel(QuestionForm)

  static let parameters = ["c1", "c2"]
  /// The value for no conversion, instead of the team's.
  static let none = "none"
  private static let funnelWord = "funnel "

  /// Reads a conversion; `nil` for none.
  init?(_ text: String, segments: [SavedSegment]) {
    if text.hasPrefix(Self.funnelWord) {
      let query = String(text.dropFirst(Self.funnelWord.count))
      self = .funnel(QuestionForm(.funnels, URLEncodedForm(query).values, segments: segments))
    } else {
      guard let choice = RowChoice(text) else { return nil }
      self = .perUser(choice)
    }
  }

  /// The text of a funnel in an address.
  static func funnel(query: String) -> String { funnelWord + query }

  /// The conversion in words.
  var title: String {
    switch self {
    case .perUser(let choice): "\(shown(choice.title, limit: 40)) per user"
    case .funnel(let form): form.stepNames.map { shown($0, limit: 30) }.joined(separator: " → ")
    }
  }

  /// The member of a question. Filters of a funnel's rows are those of its steps: the releases have their own.
  func json() throws(QuestionError) -> JSONTree {
    switch self {
    case .perUser(let choice): return .object([("per_user", choice.json)])
    case .funnel(let form):
      guard var funnel = try form.funnel() else {
        throw QuestionError("A funnel of releases has at least two steps.", at: "$.conversions")
      }
      for index in funnel.steps.indices { funnel.steps[index].filters += funnel.scope.filters }
      return ReleasesQuestion.Conversion.funnel(funnel).json
    }
  }
}

extension QuestionForm {
  /// The conversions of the page Releases, with their parameters.
  var conversions: [(name: String, conversion: ReleaseConversion)] {
    ReleaseConversion.parameters.compactMap { name in
      self[name].flatMap { ReleaseConversion($0, segments: segments) }.map { (name, $0) }
    }
  }

  func releases() throws(QuestionError) -> ReleasesQuestion {
    var question = ReleasesQuestion(scope: try scope())
    var members: [JSONTree] = []
    for (_, conversion) in conversions { members.append(try conversion.json()) }
    try question.set("conversions", to: .array(members))
    return question
  }
}

extension QuestionPage {
  /// The parameters of the page with the team's conversions, unless the address names its own.
  package static func releases(_ parameters: [String: String], conversions: [String]) -> [String: String] {
    guard ReleaseConversion.parameters.allSatisfy({ parameters[$0] == nil }) else { return parameters }
    return parameters.merging(zip(ReleaseConversion.parameters, conversions)) { own, _ in own }
  }

  /// The conversions that a form names, in order.
  ///
  /// - Throws: `QuestionError` if one is none, or names persons.
  package static func conversions(_ form: [String: String], segments: [SavedSegment]) throws(QuestionError) -> [String]
  {
    let chosen = ReleaseConversion.parameters.compactMap { form[$0] }.filter {
      $0 != ReleaseConversion.none && !$0.isEmpty
    }
    for text in chosen {
      guard let conversion = ReleaseConversion(text, segments: segments) else {
        throw QuestionError("Choose an event or a funnel.", at: "$.conversions")
      }
      _ = try conversion.json()
    }
    let parameters = Dictionary(zip(ReleaseConversion.parameters, chosen), uniquingKeysWith: { $1 })
    _ = try QuestionPage.releases.sharedQuestion(
      query: AddressText.query(parameters.sorted { $0.key < $1.key }), segments: segments)
    return chosen
  }
}
