package import Alerts
import Foundation
import Outgoing
import Reports
import TernEvents
package import Warehouse

/// The form that creates or changes an alert.
package struct AlertForm: Sendable {
  /// The fields as the reader has filled them in.
  package var fields: [String: String]

  package init(_ fields: [String: String] = [:]) { self.fields = fields }

  /// Creates a form that changes an alert. Destinations appear without their secret parts.
  package init(_ alert: Alert) {
    fields = [
      "id": "\(alert.id)", "version": Self.version(alert), "name": alert.name,
      "to": alert.destinations.map(\.shown).joined(separator: "\n"),
    ]
    if alert.minimumUsers != alert.condition.standardMinimum { fields["users"] = "\(alert.minimumUsers)" }
    fields["period"] = alert.condition.question?.period.rawValue
    let (kind, limit): (AlertCondition.Kind, Double?)
    switch alert.condition {
    case .above(let number, let question): (kind, limit, fields["question"]) = (.above, number, question.address)
    case .below(let number, let question): (kind, limit, fields["question"]) = (.below, number, question.address)
    case .changed(let number, let question): (kind, limit, fields["question"]) = (.changed, number, question.address)
    case .crashFreeUsersBelow(let percent, _): (kind, limit) = (.crashFree, percent)
    case .nothingArrived(let hours): (kind, limit) = (.silent, Double(hours))
    case .newError: (kind, limit) = (.newError, nil)
    case .errorCameBack: (kind, limit) = (.cameBack, nil)
    case .serverProblem: return
    }
    fields["kind"] = kind.rawValue
    // In full precision; whole numbers without a decimal point.
    fields["limit"] = limit.map { number in Int(exactly: number).map(String.init) ?? "\(number)" }
  }

  /// False if the alert has changed since the form was opened.
  package func isUpToDate(with alert: Alert) -> Bool { fields["version"] == Self.version(alert) }

  /// Each change moves the time of the last one on.
  private static func version(_ alert: Alert) -> String { "\(alert.changed.millisecondsSince1970)" }

  /// The number of the alert that the form changes; `nil` for a new one.
  var alertID: Int64? { fields["id"].flatMap { Int64($0) } }

  /// The number of users that a period needs; `nil` for the condition's own.
  package func minimumUsers() throws(WarehouseError) -> Int? {
    let text = (fields["users"] ?? "").trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    guard let number = Int(text) else {
      throw WarehouseError(.invalid, "Enter a whole number of users, or leave the field empty.")
    }
    return number
  }

  /// The destinations, one per line.
  package var destinations: [String] {
    (fields["to"] ?? "").split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// The condition.
  ///
  /// Throws ``Warehouse/WarehouseError`` with code `invalid` if a field that it needs is missing or isn't a number.
  package func condition() throws(WarehouseError) -> AlertCondition {
    guard let kind = AlertCondition.Kind(rawValue: fields["kind"] ?? "") else {
      throw WarehouseError(.invalid, "Choose a condition.")
    }
    let period = AlertPeriod(rawValue: fields["period"] ?? "") ?? .day
    // An address copied from the browser is accepted, too.
    let question = AlertQuestion(address: fields["question"] ?? "", period: period)
    switch kind {
    case .above: return .above(try number(), question)
    case .below: return .below(try number(), question)
    case .changed: return .changed(byPercent: try number(), question)
    case .crashFree: return .crashFreeUsersBelow(percent: try number(), period)
    case .silent:
      guard let hours = Int(exactly: try number()) else {
        throw WarehouseError(.invalid, "Enter a whole number of hours.")
      }
      return .nothingArrived(hours: hours)
    case .newError: return .newError
    case .cameBack: return .errorCameBack
    case .server: return .serverProblem
    }
  }

  /// The unit of the limit, as far as the fields say it.
  var limitUnit: FigureUnit {
    switch AlertCondition.Kind(rawValue: fields["kind"] ?? "") {
    case .changed, .crashFree: .percent
    case .above, .below, nil: AlertQuestion(address: fields["question"] ?? "", period: nil).unit
    case .silent, .newError, .cameBack, .server: .number
    }
  }

  private func number() throws(WarehouseError) -> Double {
    let text = (fields["limit"] ?? "").trimmingCharacters(in: .whitespaces)
    guard let number = Double(text), number.isFinite else {
      throw WarehouseError(.invalid, "Enter a number as the limit.")
    }
    return number
  }
}

extension AlertCondition.Kind {
  /// The condition in the form of an app's alert; `nil` for that of the server's.
  var caption: String? {
    switch self {
    case .above: "A figure is above"
    case .below: "A figure is below"
    case .changed: "A figure changes by more than, in %"
    case .crashFree: "Crash-free users are below, in %"
    case .silent: "Nothing arrives for, in hours"
    case .newError: "A new kind of error occurs"
    case .cameBack: "A closed error comes back"
    case .server: nil
    }
  }
}
