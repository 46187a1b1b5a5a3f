package import Alerts
package import Outgoing
import ServerBase
package import Warehouse

/// The destinations that the form of an alert offers: those in use, and the reader's own address.
package struct AlertDestinations: Sendable {
  /// The most destinations that are offered.
  private static let maximumCount = 50

  private let known: [Destination]

  package init(_ known: [Destination]) {
    var seen: Set<String> = []
    self.known = known.filter { seen.insert($0.text).inserted }
  }

  /// Reads the destinations of an app's alerts and reports, or those of the alerts about the server.
  ///
  /// - Parameter reader: The name of the reader, which may be a mail address.
  package init(app: AppID?, reader: String, from catalog: any AlertStore & MailReportStore) throws {
    let alerts = try catalog.alerts(app: app).flatMap(\.alert.destinations)
    let reports = try app.map { try catalog.mailReports(app: $0).flatMap(\.report.recipients) } ?? []
    self.init((MailAddress(reader).map { [.mail($0)] } ?? []) + alerts + reports.map { .mail($0) })
  }

  /// The destinations as shown to people, each once.
  var choices: [String] {
    var seen: Set<String> = []
    return Array(known.map(\.shown).filter { seen.insert($0).inserted }.prefix(Self.maximumCount))
  }

  /// Returns the destinations of a form: the checked ones, and those in its field.
  ///
  /// Throws ``Outgoing/OutgoingError`` with code `invalid`, also if several destinations are shown as one of them.
  ///
  /// - Parameter old: The destinations of the alert that the form changes.
  package func chosen(_ form: AlertForm, replacing old: [Destination] = []) throws(OutgoingError) -> [Destination] {
    var chosen: [Destination] = []
    for text in form.checkedDestinations + form.newDestinations {
      for destination in try destinations(text, old) where !chosen.contains(destination) { chosen.append(destination) }
    }
    return chosen
  }

  private func destinations(_ text: String, _ old: [Destination]) throws(OutgoingError) -> [Destination] {
    let kept = old.filter { $0.shown == text }
    guard kept.isEmpty else { return kept }
    let alike = known.filter { $0.shown == text }
    guard alike.count < 2 else {
      throw OutgoingError(.invalid, "Several destinations are shown as \(text). Enter the whole address of one.")
    }
    return alike.isEmpty ? try Destination.parse([text]) : alike
  }
}

extension AlertForm {
  /// The beginning of the names of the fields that choose a destination.
  static let destinationField = "d"

  /// The checked destinations, as shown to people.
  var checkedDestinations: [String] {
    fields.compactMap { name, text in
      name.hasPrefix(Self.destinationField)
        ? Int(name.dropFirst(Self.destinationField.count)).map { (number: $0, text: text) } : nil
    }.sorted { $0.number < $1.number }.map(\.text)
  }

  /// The destinations in the field for a new one, one per line. One without its kind is of the kind that is chosen.
  var newDestinations: [String] {
    (fields["to"] ?? "").split(whereSeparator: \.isNewline).map(\.trimmed).filter { !$0.isEmpty }.map { text in
      Destination.kinds.contains { text.hasPrefix("\($0):") } ? text : "\(fields["tokind"] ?? "mail"):\(text)"
    }
  }
}
