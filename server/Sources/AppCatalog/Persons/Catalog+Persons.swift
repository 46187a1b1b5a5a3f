import Foundation
import GRDB
package import Warehouse

extension AuditEntry.Action {
  static let personDeleted = Self("person deleted")
}

/// Removes what names a deleted person: values of filters in saved segments, dashboards and shared links.
extension Catalog {
  /// The changes of ``Catalog/forget(_:app:)``.
  package struct ForgottenFilters: Sendable, Hashable {
    /// The segments without the person's name.
    package var changedSegments = 0
    /// The segments that had no other value in a filter, and are removed: without the filter they would have more members.
    package var removedSegments = 0
    /// The removed cards of dashboards.
    package var cards = 0
    /// The revoked links.
    package var links = 0

    /// Creates the result of a change of nothing.
    package init() {}
  }

  /// Adds the job of deleting a person. The audit log, which keeps everything, doesn't name them.
  @discardableResult
  package func requestDeletion(_ request: PersonDeletionRequest, app: AppID) throws -> DataJob {
    guard !request.refusesEveryone else {
      throw WarehouseError(
        .invalid,
        "This is no person: it stands for all events that name no one, and they would be refused for good. Delete it without "
          + "refusing what comes later.")
    }
    let kind = if case .install = request.person { "an install" } else { "a user" }
    let later = request.refusesLater ? ", later events refused" : ""
    return try addJob(
      .deletePerson, app: app, argument: request.text, audit: .personDeleted, "app \(app), \(kind)\(later)")
  }

  /// True if ``forget(_:app:)`` would change something. There may be no rows of the person any more: rows that are old are removed
  /// without the filters.
  package func names(_ person: Person, app: AppID) throws -> Bool {
    try reading { database in
      let isInSegment = try String.fetchAll(
        database, sql: "SELECT filters FROM segment WHERE app = ?", arguments: [app.rawValue]
      ).contains { Self.isNamed(person, inFilters: $0) }
      if isInSegment { return true }
      let cards = try Row.fetchAll(
        database, sql: "SELECT * FROM dashboard WHERE app = ?", arguments: [app.rawValue]
      ).flatMap { try Self.dashboard($0).cards }
      let links = try String.fetchAll(
        database, sql: "SELECT query FROM link WHERE app = ?", arguments: [app.rawValue])
      return (cards.map(\.query) + links).contains { Self.isNamed(person, inQuery: $0) }
    }
  }

  /// Removes a person's names from the filters of an app's segments, and the cards and links with filters that name them.
  ///
  /// Names and notes that users of the portal have typed stay as they are, and so does the audit log.
  package func forget(_ names: [Person], app: AppID) throws -> ForgottenFilters {
    try writing { database in
      var forgotten = ForgottenFilters()
      for name in names { try Self.forget(name, app, &forgotten, database) }
      if forgotten != ForgottenFilters() {
        try record(.personDeleted, "app \(app): \(forgotten.text)", actor: .server, database)
      }
      return forgotten
    }
  }

  package func forget(_ person: Person, app: AppID) throws -> ForgottenFilters { try forget([person], app: app) }

  private static func forget(
    _ person: Person, _ app: AppID, _ forgotten: inout ForgottenFilters, _ database: Database
  ) throws {
    for row in try Row.fetchAll(
      database, sql: "SELECT id, filters FROM segment WHERE app = ?", arguments: [app.rawValue])
    {
      switch try Self.filters(row["filters"], without: person) {
      case .unchanged: continue
      case .changed(let filters):
        forgotten.changedSegments += 1
        try database.execute(
          sql: "UPDATE segment SET filters = ? WHERE id = ?", arguments: [filters, row["id"] as Int64])
      case .empty:
        forgotten.removedSegments += 1
        try database.execute(sql: "DELETE FROM segment WHERE id = ?", arguments: [row["id"] as Int64])
      }
    }
    for row in try Row.fetchAll(
      database, sql: "SELECT * FROM dashboard WHERE app = ?", arguments: [app.rawValue])
    {
      let dashboard = try Self.dashboard(row)
      let cards = dashboard.cards.filter { !Self.isNamed(person, inQuery: $0.query) }
      guard cards.count < dashboard.cards.count else { continue }
      forgotten.cards += dashboard.cards.count - cards.count
      try database.execute(
        sql: "UPDATE dashboard SET cards = ? WHERE id = ?", arguments: [try Self.text(cards), dashboard.id])
    }
    for row in try Row.fetchAll(
      database, sql: "SELECT id, query FROM link WHERE app = ?", arguments: [app.rawValue])
    where Self.isNamed(person, inQuery: row["query"]) {
      forgotten.links += 1
      try database.execute(sql: "DELETE FROM link WHERE id = ?", arguments: [row["id"] as Int64])
    }
  }

  // MARK: Finding names

  private enum Filters {
    case unchanged, empty
    case changed(String)
  }

  private static func filters(_ text: String, without person: Person) throws -> Filters {
    guard let filters = try? JSONSerialization.jsonObject(with: Data(text.utf8)), isNamed(person, in: filters) else {
      return .unchanged
    }
    guard let rest = without(person, filters) else { return .empty }
    let data = try JSONSerialization.data(withJSONObject: rest, options: .withoutEscapingSlashes)
    return .changed(String(decoding: data, as: UTF8.self))
  }

  private static func isNamed(_ person: Person, inFilters text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))).map { isNamed(person, in: $0) } ?? false
  }

  /// Returns JSON of filters without the person among the values of filters, or `nil` if no other value is left.
  private static func without(_ person: Person, _ json: Any) -> Any? {
    switch json {
    case let list as [Any]:
      var rest: [Any] = []
      for (index, element) in list.enumerated() {
        if isValue(index, of: list), isName(element, of: person) { return nil }
        if isValue(index, of: list), let values = element as? [Any] {
          let others = values.filter { !isName($0, of: person) }
          if others.isEmpty, !values.isEmpty { return nil }
          rest.append(others)
        } else {
          guard let element = without(person, element) else { return nil }
          rest.append(element)
        }
      }
      return rest
    case let members as [String: Any]:
      var rest: [String: Any] = [:]
      for (name, value) in members {
        guard let value = without(person, value) else { return nil }
        rest[name] = value
      }
      return rest
    default: return json
    }
  }

  /// Returns true if the query of an address has a parameter that is the person's name, or JSON with it.
  private static func isNamed(_ person: Person, inQuery query: String) -> Bool {
    query.split(separator: "&").contains { pair in
      let value = pair.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
      let text = value.replacing("+", with: " ").removingPercentEncoding ?? value
      if isName(text, of: person) || values(ofFilter: text).contains(where: { isName($0, of: person) }) { return true }
      return isNamed(person, inFilters: text)
    }
  }

  /// Returns every text that may be the value of a filter such as `property:mail is ann@example.com`: that after each
  /// comparison, because the name of a property may contain one, too.
  private static func values(ofFilter text: String) -> [String] {
    [" is ", " is_not ", " contains ", " gt ", " gte ", " lt ", " lte "].flatMap { comparison in
      text.ranges(of: comparison).map { String(text[$0.upperBound...]) }
    }
  }

  /// Returns true if the person's name is among the texts of a JSON value, operators and dimensions excepted.
  private static func isNamed(_ person: Person, in json: Any) -> Bool {
    switch json {
    case let list as [Any]:
      return list.enumerated().contains { index, element in
        guard isValue(index, of: list) else { return isNamed(person, in: element) }
        return isName(element, of: person) || (element as? [Any])?.contains { isName($0, of: person) } ?? false
      }
    case let members as [String: Any]:
      return members.values.contains { isName($0, of: person) || isNamed(person, in: $0) }
    default: return false
    }
  }

  /// Returns true for a place after the operator and the dimension of a filter, which aren't values, whatever the person is
  /// called.
  private static func isValue(_ index: Int, of list: [Any]) -> Bool {
    guard index >= 2, let name = list.first as? String else { return false }
    return !["and", "or", "not", "has_done", "has_not_done"].contains(name)
  }

  /// Installs may be written in either case.
  private static func isName(_ value: Any, of person: Person) -> Bool {
    // A filter on a property has numbers as text and as numbers.
    guard let text = value as? String ?? (value as? NSNumber)?.stringValue else { return false }
    return switch person {
    case .install(let name): text.lowercased() == name.lowercased()
    case .user(let name): text == name
    }
  }
}

extension Catalog.ForgottenFilters {
  /// The changes in words; empty if there were none.
  package var text: String {
    [
      (changedSegments, "segments without the person"), (removedSegments, "segments removed"),
      (cards, "cards removed from dashboards"), (links, "shared links revoked"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
