package import Warehouse

extension WarehouseReader {
  /// Returns the number of names an app uses and its limits, by kind. Names beyond a limit are reported as "(other)".
  package func names(of app: AppID) async throws -> [NameUsage] {
    let perDay = try catalog.newNamesPerDay(of: app)
    return try await reading { connection in
      let statement = try connection.prepare(kept: "SELECT kind, count(*) FROM dictionary WHERE app = ? GROUP BY kind")
      statement.bind(app.rawValue)
      var counts: [Int64: Int] = [:]
      while try statement.step() { counts[statement.integer(0)] = Int(statement.integer(1)) }
      return NameKind.allCases.map { kind in
        NameUsage(
          kind: "\(kind)", known: counts[kind.rawValue] ?? 0, limit: kind.limit, perDay: perDay ?? kind.dailyAllowance)
      }
    }
  }
}
