/// The condition that an alert reports.
package enum AlertCondition: Sendable, Hashable {
  /// The figure of a question is above a limit.
  case above(Double, AlertQuestion)
  /// The figure of a question is below a limit.
  case below(Double, AlertQuestion)
  /// The figure of a question differs from that of the period before by more than a limit, in percent.
  case changed(byPercent: Double, AlertQuestion)
  /// The share of users without a crash is below a limit, in percent.
  case crashFreeUsersBelow(percent: Double, AlertPeriod)
  /// No events of the app have arrived for some hours.
  case nothingArrived(hours: Int)
  /// An error occurred that belongs to no known group.
  case newError
  /// A closed error occurred in a later version.
  case errorCameBack
  /// The server itself has a problem.
  case serverProblem
}

/// The period of a figure: civil hours or days of the app's time zone, which have ended.
package enum AlertPeriod: String, Sendable, Hashable, CaseIterable, Codable {
  case hour, day
}

/// A question with one figure per period, stored as a page and its query, like a card of a dashboard.
package struct AlertQuestion: Sendable, Hashable {
  /// The name of the page.
  package var page: String
  /// The query of the page's address.
  package var query: String
  package var period: AlertPeriod

  package init(page: String, query: String, period: AlertPeriod) {
    (self.page, self.query, self.period) = (page, query, period)
  }

  /// Parses the address of a page, or a query alone, which is one of Explore.
  ///
  /// - Parameter period: The period; `nil` for hours, or for days if the page is Funnels, which has no hours.
  package init(address: String, period: AlertPeriod?) {
    let mark = address.firstIndex(of: "?")
    // A value of a query may have a question mark, too.
    if let mark, !address[..<mark].contains("=") {
      page = address[..<mark].split(separator: "/").last.map(String.init) ?? "explore"
      query = String(address[address.index(after: mark)...])
    } else {
      (page, query) = ("explore", address)
    }
    self.period = period ?? (page == "funnels" ? .day : .hour)
  }

  /// The text that ``init(address:period:)`` parses.
  package var address: String { page == "explore" ? query : "\(page)?\(query)" }
}

extension AlertCondition {
  /// The question, and the period of its figure; `nil` for a condition without one.
  package var question: AlertQuestion? {
    switch self {
    case .above(_, let question), .below(_, let question), .changed(_, let question): question
    case .crashFreeUsersBelow(_, let period):
      AlertQuestion(page: "explore", query: "metric=crash_free_users", period: period)
    case .nothingArrived, .newError, .errorCameBack, .serverProblem: nil
    }
  }

  /// The number of users that a period needs for a decision, unless the alert sets another.
  package var standardMinimum: Int {
    switch self {
    // A change or a share means little with few users.
    case .changed, .crashFreeUsersBelow: 30
    case .above, .below, .nothingArrived, .newError, .errorCameBack, .serverProblem: 0
    }
  }

  /// The condition in words, for lists and notifications.
  package var text: String {
    switch self {
    case .above(let limit, let question): "above \(AlertText.number(limit)) per \(question.period.rawValue)"
    case .below(let limit, let question): "below \(AlertText.number(limit)) per \(question.period.rawValue)"
    case .changed(let percent, let question):
      "changed by more than \(AlertText.number(percent)) % from one \(question.period.rawValue) to the next"
    case .crashFreeUsersBelow(let percent, let period):
      "crash-free users below \(AlertText.number(percent)) % per \(period.rawValue)"
    case .nothingArrived(let hours): "nothing arrived for \(hours) hour\(hours == 1 ? "" : "s")"
    case .newError: "a new error"
    case .errorCameBack: "a closed error came back in a later version"
    case .serverProblem: "the server has a problem"
    }
  }
}

extension AlertCondition: Codable {
  private enum Kind: String, Codable {
    case above, below, changed, silent
    case crashFree = "crash_free"
    case newError = "new_error"
    case cameBack = "came_back"
    case server
  }

  private enum CodingKeys: String, CodingKey {
    case kind, limit, page, query, period, hours
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func limit() throws -> Double { try members.decode(Double.self, forKey: .limit) }
    func question() throws -> AlertQuestion {
      AlertQuestion(
        page: try members.decode(String.self, forKey: .page), query: try members.decode(String.self, forKey: .query),
        period: try members.decode(AlertPeriod.self, forKey: .period))
    }
    switch try members.decode(Kind.self, forKey: .kind) {
    case .above: self = .above(try limit(), try question())
    case .below: self = .below(try limit(), try question())
    case .changed: self = .changed(byPercent: try limit(), try question())
    case .crashFree:
      self = .crashFreeUsersBelow(percent: try limit(), try members.decode(AlertPeriod.self, forKey: .period))
    case .silent: self = .nothingArrived(hours: try members.decode(Int.self, forKey: .hours))
    case .newError: self = .newError
    case .cameBack: self = .errorCameBack
    case .server: self = .serverProblem
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    func encode(_ kind: Kind, _ limit: Double? = nil, _ question: AlertQuestion? = nil) throws {
      try members.encode(kind, forKey: .kind)
      try members.encodeIfPresent(limit, forKey: .limit)
      try members.encodeIfPresent(question?.page, forKey: .page)
      try members.encodeIfPresent(question?.query, forKey: .query)
      try members.encodeIfPresent(question?.period, forKey: .period)
    }
    switch self {
    case .above(let limit, let question): try encode(.above, limit, question)
    case .below(let limit, let question): try encode(.below, limit, question)
    case .changed(let percent, let question): try encode(.changed, percent, question)
    case .crashFreeUsersBelow(let percent, let period):
      try encode(.crashFree, percent)
      try members.encode(period, forKey: .period)
    case .nothingArrived(let hours):
      try encode(.silent)
      try members.encode(hours, forKey: .hours)
    case .newError: try encode(.newError)
    case .errorCameBack: try encode(.cameBack)
    case .serverProblem: try encode(.server)
    }
  }
}
