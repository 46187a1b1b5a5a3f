import TernBase

/// The condition that an alert reports.
package enum AlertCondition: Sendable, Hashable {
  /// The figure of a question is above a limit; of a share, such as crash-free users, both are percentages.
  case above(Double, AlertQuestion)
  /// The figure of a question is below a limit, in the same units.
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
package enum AlertPeriod: String, Sendable, Hashable, CaseIterable {
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

  /// The value of a parameter of the query; `nil` if it is left out. If a name is repeated, the last value counts.
  func parameter(_ name: String) -> String? {
    query.utf8.split(separator: UInt8(ascii: "&")).last { Self.name(of: $0) == name }
      .map { PercentCoding.decode($0.drop { $0 != UInt8(ascii: "=") }.dropFirst()) }
  }

  /// The parameters of the query with some names, as they are written.
  func parameters(where isWanted: (String) -> Bool) -> [String] {
    query.utf8.split(separator: UInt8(ascii: "&")).filter { isWanted(Self.name(of: $0)) }.map { String(Substring($0)) }
  }

  private static func name(of parameter: Substring.UTF8View) -> String {
    PercentCoding.decode(parameter.prefix { $0 != UInt8(ascii: "=") })
  }
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
    case .above(let limit, let question): "above \(question.unit.text(limit: limit)) per \(question.period.rawValue)"
    case .below(let limit, let question): "below \(question.unit.text(limit: limit)) per \(question.period.rawValue)"
    case .changed(let percent, let question):
      "changed by more than \(FigureUnit.percent.text(limit: percent)) from one \(question.period.rawValue) to the next"
    case .crashFreeUsersBelow(let percent, let period):
      "crash-free users below \(FigureUnit.percent.text(limit: percent)) per \(period.rawValue)"
    case .nothingArrived(let hours): "nothing arrived for \(hours) hour\(hours == 1 ? "" : "s")"
    case .newError: "a new error"
    case .errorCameBack: "a closed error came back in a later version"
    case .serverProblem: "the server has a problem"
    }
  }
}
