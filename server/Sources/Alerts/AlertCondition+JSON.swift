package import JSON
import Warehouse

extension AlertCondition {
  /// The kinds of conditions, as in requests, forms and the catalog.
  package enum Kind: String, Sendable, CaseIterable {
    case above, below, changed
    case crashFree = "crash_free"
    case silent
    case newError = "new_error"
    case cameBack = "came_back"
    case server
  }

  /// A condition as the members of an object.
  private struct Members: Sendable {
    var hours: Int?
    var kind = Kind.server
    var limit: Double?
    var page: String?
    var period: AlertPeriod?
    var query: String?

    static let all: [JSONMember<Members>] = [
      .optional("hours", \.hours, .integer(1...720), isWritten: false),
      .required("kind", \.kind, .choice).described(
        "`above`, `below` and `changed` need `limit`, `page`, `query` and `period`; `crash_free` needs `limit` and "
          + "`period`, `silent` needs `hours`, the others nothing. Alerts of the server have `server`, others don’t."),
      .optional("limit", \.limit, .number, isWritten: false).described(
        "A figure; a percentage for `changed`, `crash_free` and figures that are shares, which are crash-free users and "
          + "sessions and all funnels: theirs are from 0 to 100. Durations of sessions are in seconds."),
      .optional("page", \.page, JSONCodec.text.specified(.choice(["explore", "funnels"])), isWritten: false)
        .described("Funnels need the period `day`."),
      .optional("period", \.period, .choice, isWritten: false),
      .optional("query", \.query, .text(atMost: DashboardCard.maximumQueryBytes), isWritten: false)
        .described("The query of the page's address, for example `metric=events&event=Order`."),
    ]

    init() {}

    init(_ condition: AlertCondition) {
      switch condition {
      case .above(let number, let question): (kind, limit) = (.above, number); set(question)
      case .below(let number, let question): (kind, limit) = (.below, number); set(question)
      case .changed(let percent, let question): (kind, limit) = (.changed, percent); set(question)
      case .crashFreeUsersBelow(let percent, let per): (kind, limit, period) = (.crashFree, percent, per)
      case .nothingArrived(let time): (kind, hours) = (.silent, time)
      case .newError: kind = .newError
      case .errorCameBack: kind = .cameBack
      case .serverProblem: kind = .server
      }
    }

    private mutating func set(_ question: AlertQuestion) {
      (page, query, period) = (question.page, question.query, question.period)
    }

    func condition(_ node: JSONNode) throws(JSONFault) -> AlertCondition {
      func needed<Value>(_ name: String, _ value: Value?) throws(JSONFault) -> Value {
        guard let value else {
          throw node.fault("The member \"\(name)\" is missing: a condition \"\(kind.rawValue)\" needs it.")
        }
        return value
      }
      func question() throws(JSONFault) -> AlertQuestion {
        AlertQuestion(
          page: try needed("page", page), query: try needed("query", query), period: try needed("period", period))
      }
      switch kind {
      case .above: return .above(try needed("limit", limit), try question())
      case .below: return .below(try needed("limit", limit), try question())
      case .changed: return .changed(byPercent: try needed("limit", limit), try question())
      case .crashFree:
        return .crashFreeUsersBelow(percent: try needed("limit", limit), try needed("period", period))
      case .silent: return .nothingArrived(hours: try needed("hours", hours))
      case .newError: return .newError
      case .cameBack: return .errorCameBack
      case .server: return .serverProblem
      }
    }
  }

  package static let codec = JSONCodec<AlertCondition>(Members.all.requestSchema().named("AlertCondition")) {
    node throws(JSONFault) in
    var members = Members()
    try Members.all.set(from: node, on: &members)
    return try members.condition(node)
  } encode: {
    .object(Members.all.encode(Members($0)))
  }
}
