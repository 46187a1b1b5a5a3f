import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  static let definitions = """
    CREATE TABLE definition (
      app INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      PRIMARY KEY (app, kind, number)
    ) WITHOUT ROWID;
    CREATE TABLE definition_rule (
      app INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, start INTEGER NOT NULL,
      scope TEXT NOT NULL, active INTEGER NOT NULL, PRIMARY KEY (app, kind, number, start)
    ) WITHOUT ROWID;
    """
}

extension AuditEntry.Action {
  static let definitionChanged = Self("definition changed")
}

extension Catalog {
  /// Defines a custom dimension or metric of an app, or changes its definition.
  ///
  /// - Parameters:
  ///   - app: The app. The definition applies to all of its views.
  ///   - kind: Dimension or metric.
  ///   - index: The number, from 1 to 200.
  ///   - name: 1 to 100 characters, applied to all reports immediately; `nil` keeps the current name.
  ///   - type: The display format of a metric's values, applied to all reports immediately; `nil` keeps the current
  ///     type.
  ///   - scope: The scope of a dimension's values, for hits from now on; `nil` keeps the current scope. Metrics always
  ///     have hit scope.
  ///   - isActive: True to process the values of hits from now on; `nil` keeps the current state.
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid, or `unknownApp` if the app doesn't exist.
  @discardableResult
  package func define(
    app: AppID, kind: CustomDefinition.Kind, index: Int, name: String? = nil,
    type: CustomDefinition.MetricType? = nil, scope: CustomDefinition.Scope? = nil, isActive: Bool? = nil
  ) throws -> CustomDefinition {
    try checkExists(app)
    guard CustomDefinition.indexes.contains(index) else {
      throw WarehouseError(.invalid, "\(index) is out of range: use a number from 1 to 200.")
    }
    if kind == .metric, let scope, scope != .hit {
      throw WarehouseError(.invalid, "Metrics always have hit scope, not \(scope.rawValue) scope.")
    }
    if let name { try check(name: name) }
    let moment = now()
    return try writing { database in
      let current = try Self.definitions(app: app, database).first { $0.kind == kind && $0.index == index }
      guard let name = name ?? current?.name else {
        throw WarehouseError(.invalid, "\(kind.prefix)\(index) has no definition yet. Give it a name with --name.")
      }
      let type = type ?? current?.type ?? .integer
      try database.execute(
        sql: "INSERT OR REPLACE INTO definition (app, kind, number, name, type) VALUES (?, ?, ?, ?, ?)",
        arguments: [app.rawValue, kind.rawValue, index, name, type.rawValue])
      var rules = current?.rules ?? []
      let rule = CustomDefinition.Rule(
        start: max(moment, rules.last.map { $0.start + .milliseconds(1) } ?? moment),
        scope: scope ?? current?.scope ?? .hit, isActive: isActive ?? current?.isActive ?? true)
      if rules.last.map({ $0.scope != rule.scope || $0.isActive != rule.isActive }) ?? true {
        rules.append(rule)
        // One that collects what it shouldn't can always be switched off.
        if rule.isActive {
          try checkRoom(
            for: .definitionRules, where: "app = ? AND kind = ? AND number = ?",
            arguments: [app.rawValue, kind.rawValue, index], database)
        }
        try database.execute(
          sql: "INSERT INTO definition_rule (app, kind, number, start, scope, active) VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [
            app.rawValue, kind.rawValue, index, rule.start.millisecondsSince1970, rule.scope.rawValue, rule.isActive,
          ])
      }
      try record(.definitionChanged, "\(kind.prefix)\(index) \(name), app \(app)", database)
      return CustomDefinition(app: app, kind: kind, index: index, name: name, type: type, rules: rules)
    }
  }

  /// Returns the custom dimensions and metrics defined for an app, ordered by kind and number.
  package func definitions(app: AppID) throws -> [CustomDefinition] {
    try reading { try Self.definitions(app: app, $0) }
  }

  private static func definitions(app: AppID, _ database: Database) throws -> [CustomDefinition] {
    let rules = Dictionary(
      grouping: try Row.fetchAll(
        database, sql: "SELECT * FROM definition_rule WHERE app = ? ORDER BY start", arguments: [app.rawValue])
    ) { row -> String in "\(row["kind"] as String) \(row["number"] as Int)" }
    let rows = try Row.fetchAll(
      database, sql: "SELECT * FROM definition WHERE app = ? ORDER BY kind, number", arguments: [app.rawValue])
    return try rows.map { row in
      let (kind, number): (String, Int) = (row["kind"], row["number"])
      guard let kind = CustomDefinition.Kind(rawValue: kind),
        let type = CustomDefinition.MetricType(rawValue: row["type"])
      else { throw damaged(number) }
      return CustomDefinition(
        app: app, kind: kind, index: number, name: row["name"], type: type,
        rules: try (rules["\(kind.rawValue) \(number)"] ?? []).map { row in
          guard let scope = CustomDefinition.Scope(rawValue: row["scope"]) else { throw damaged(number) }
          return CustomDefinition.Rule(
            start: Timestamp(millisecondsSince1970: row["start"]), scope: scope, isActive: row["active"])
        })
    }
  }

  private static func damaged(_ number: Int) -> WarehouseError {
    WarehouseError(.damaged, "The definition of number \(number) is damaged. Restore catalog.sqlite.")
  }
}
