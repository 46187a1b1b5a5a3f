package import Ingest
package import Questions

/// One stored row as questions see it.
package struct QuestionRow: Equatable, Sendable {
  package var id: Int64
  /// Milliseconds since 1970.
  package var time: Int64
  package var kind: QuestionKind
  package var name: String?
  package var install: String
  package var user: String?
  package var session: Int64?
  package var startsSession = false
  /// The number of the group of an error.
  package var error: Int?
  package var facts: [QuestionDimension: String] = [:]
  package var properties: [ExactText: QuestionValue] = [:]

  package init(id: Int64, time: Int64, kind: QuestionKind, name: String? = nil, install: String) {
    self.id = id
    self.time = time
    self.kind = kind
    self.name = name
    self.install = install
  }

  /// The person of the row. A user and an install of the same name are two persons.
  package func person(_ key: PersonKey) -> [String] {
    if key == .user, let user { ["user", user] } else { ["install", install] }
  }

  /// The value of a dimension.
  package func value(_ dimension: QuestionDimension, _ calendar: QuestionCalendar) -> QuestionValue? {
    switch dimension {
    case .event: kind == .event ? name.map { .text($0) } : nil
    case .screen: kind == .screen ? name.map { .text($0) } : nil
    case .kind: .text(kind.rawValue)
    case .install: .text(install)
    case .user: user.map { .text($0) }
    case .property(let name): properties[name]
    case .time(let unit): .text(QuestionCalendar.label(of: unit, number: calendar.number(of: unit, at: time)))
    case .version, .os, .model, .country, .language: facts[dimension].map { .text($0) }
    }
  }
}
