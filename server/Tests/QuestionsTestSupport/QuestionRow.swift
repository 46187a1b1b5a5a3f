package import Ingest
package import Questions

/// One stored row as questions see it.
package struct QuestionRow: Equatable, Sendable {
  package var id: Int64
  /// Milliseconds since 1970.
  package var time: Int64
  /// The microseconds within the millisecond of the time; `nil` if they aren't known.
  package var microseconds: Int?
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
  /// The identifier that an alias, which is a row of kind `other`, joins with its user.
  package var alias: String?
  /// The first user of the person, if aliases join the row with one.
  fileprivate(set) var joined: String?

  package init(id: Int64, time: Int64, kind: QuestionKind, name: String? = nil, install: String) {
    self.id = id
    self.time = time
    self.kind = kind
    self.name = name
    self.install = install
  }

  private var moment: [Int64] { [time, Int64(microseconds ?? -1)] }

  /// True if nothing tells which of two rows was first.
  package func isTied(to other: QuestionRow) -> Bool { moment == other.moment }

  /// The order of two rows.
  package static func isEarlier(_ left: QuestionRow, _ right: QuestionRow) -> Bool {
    left.isTied(to: right) ? left.id < right.id : left.moment.lexicographicallyPrecedes(right.moment)
  }

  /// The person of the row. A user and an install of the same name are two persons.
  package func person(_ key: PersonKey) -> [String] {
    if key == .user, let user = joined ?? user { ["user", user] } else { ["install", install] }
  }

  /// What names the person of the row: the user, or without one the install.
  fileprivate var identifier: String { user ?? install }

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
    case .version, .os, .model, .country, .language: facts[dimension].map { .text(dimension.canonical($0)) }
    }
  }
}

extension [QuestionRow] {
  /// The same rows with the persons whom their aliases join.
  package var joiningAliases: [QuestionRow] {
    var groups: [Set<String>] = []
    for row in sorted(by: { $0.id < $1.id }) where row.kind == .other {
      guard let user = row.user, let alias = row.alias, alias != user, alias != "null" else { continue }
      let met = groups.filter { $0.contains(user) || $0.contains(alias) }
      let merged = met.reduce(into: [user, alias] as Set) { $0.formUnion($1) }
      guard merged.count <= 100 else { continue }
      groups = groups.filter { !met.contains($0) } + [merged]
    }
    return map { row in
      var row = row
      let group = groups.first { $0.contains(row.identifier) }
      row.joined = group.flatMap { group in
        filter { $0.user.map(group.contains) ?? false }.min { $0.id < $1.id }?.user
      }
      return row
    }
  }
}
