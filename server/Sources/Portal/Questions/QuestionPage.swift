import Questions
import Reports
import Warehouse

/// A page that asks a question; its form's state is the address.
package enum QuestionPage: String, CaseIterable, Sendable {
  case explore, funnels, retention, paths, lifecycle, people, releases

  /// The pages whose questions can be cards of dashboards, which show no persons.
  package static let ofCards = allCases.filter { $0 != .people }

  /// The parameters of addresses, in order; those of filters follow.
  static let parameters: [String] =
    [
      "metric", "property", "event", "screen", "kind", "per", "perof", "start", "end", "return", "by", "bystep",
      "interval",
      "window",
      "order", "cohort", "nodes", "depth", "days", "from", "to", "identity", "compare", "segment", "show",
    ]
    + QuestionForm.steps.map { "s\($0)" } + ReleaseConversion.parameters
    + [
      "group", "step", "dropped", "of", "after", "state", "active", "error", "at", "type", "value", "pathfrom",
      "pathto",
      "before", "bins", "page",
    ]

  /// The names of all parameters.
  static let known = Set(parameters + FilterRow.numbers.map { "f\($0)" } + ["filters"])

  /// The values that addresses leave out.
  var defaults: [String: String] {
    var defaults = ["days": "30", "identity": "install"]
    let own: [String: String] =
      switch self {
      case .explore: ["metric": "users", "interval": "day"]
      case .funnels: ["order": "ordered", "window": "14d", "bystep": "first"]
      // Twelve weekly cohorts show a trend, the four of thirty days do not.
      case .retention: ["days": "84", "interval": "week", "cohort": "first_ever", "start": "any", "return": "any"]
      case .paths: ["nodes": "screens", "depth": "5"]
      case .lifecycle: ["interval": "day"]
      case .people, .releases: [:]
      }
    defaults.merge(own) { $1 }
    return defaults
  }

  var title: String { titled(rawValue) }

  /// The fields, the question and the view of this page alone.
  var definition: QuestionPageDefinition {
    switch self {
    case .explore: .explore
    case .funnels: .funnels
    case .retention: .retention
    case .paths: .paths
    case .lifecycle: .lifecycle
    case .people: .people
    case .releases: .releases
    }
  }
}

/// The definition of one page that asks a question.
struct QuestionPageDefinition {
  /// One sentence about the figures.
  let explanation: String
  /// The icon on a grid of 20 by 20.
  let icon: String
  /// The controls of the page's question, which read as a sentence. The days and the comparison follow.
  var sentence: (QuestionForm) -> [BuilderField] = { _ in [] }
  /// The controls that are rarely changed.
  var more: (QuestionForm) -> [BuilderField] = { _ in [] }
  /// The page's main question; `nil` while the form lacks something.
  let question: (QuestionForm) throws(QuestionError) -> Question?
  /// The questions whose answers the page shows, each with all its rows; `nil` for the main question alone.
  var files: ((QuestionForm) throws(QuestionError) -> [QuestionFile])?
  /// The questions of a page that are asked together, with those of other cards of a dashboard: they need no other's answer.
  var together: (QuestionForm, _ today: Day) -> [Question] = { _, _ in [] }
  /// The groups of persons that the page's figures lead to.
  var groups: [PersonsGroupForm] = []
  /// Asks the questions of a form and shows their answers.
  let view: (PageVisit, QuestionForm, App, _ today: Day, PageVisit.Ask) async throws -> QuestionView
}

/// The form of a group of persons behind figures.
struct PersonsGroupForm {
  /// The value of the parameter `group`.
  let name: String
  /// The group; `nil` while the form lacks something.
  let group: (QuestionForm) throws(QuestionError) -> PersonsQuestion.Group?
  /// The group in words, after the number of its persons.
  let text: (QuestionForm) -> String
}
