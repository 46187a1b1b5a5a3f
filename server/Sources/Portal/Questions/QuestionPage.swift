import Questions
import Reports
import Warehouse

/// A page that asks a question; its form's state is the address.
package enum QuestionPage: String, CaseIterable, Sendable {
  case explore, funnels, retention, paths, lifecycle, people

  /// The pages whose questions can be cards of dashboards, which show no persons.
  package static let ofCards = allCases.filter { $0 != .people }

  /// The parameters of addresses, in order.
  static let parameters: [String] =
    [
      "range", "from", "to", "by", "segment", "metric", "property", "breakdown", "interval", "window", "order",
      "cohort",
    ]
    + [
      "nodes", "anchor", "depth", "compare", "show", "group", "step", "dropped", "of", "after", "state", "active", "at",
    ]
    + ["type", "value", "before", "k0", "n0"]
    + QuestionForm.steps.flatMap { ["k\($0)", "n\($0)"] }
    + FilterRow.numbers.flatMap { ["f\($0)", "o\($0)", "v\($0)"] }

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// The fields, the question and the view of this page alone.
  var definition: QuestionPageDefinition {
    switch self {
    case .explore: .explore
    case .funnels: .funnels
    case .retention: .retention
    case .paths: .paths
    case .lifecycle: .lifecycle
    case .people: .people
    }
  }
}

/// The definition of one page that asks a question.
struct QuestionPageDefinition {
  /// One sentence about the figures.
  let explanation: String
  /// The icon on a grid of 20 by 20.
  let icon: String
  /// The fields of the page's own settings.
  var fields: (QuestionForm) -> [TemplateValues] = { _ in [] }
  /// The fields that belong together in pairs: a kind of row, and its name.
  var pairs: (QuestionForm) -> [TemplateValues] = { _ in [] }
  /// The page's main question; `nil` while the form lacks something.
  let question: (QuestionForm) throws(QuestionError) -> Question?
  /// The groups of persons that the page's figures lead to.
  var groups: [PersonsGroupForm] = []
  /// Asks the questions of a form and shows their answers.
  let view: (PortalPages, QuestionForm, App, _ today: Day, PortalPages.Ask) async throws -> QuestionView
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
