package import Warehouse

extension ReportParameter {
  /// The status of the errors to list.
  package static let status = ReportParameter("status", .choice(ErrorStatus.allCases.map(\.rawValue) + ["all"]))
}

extension [ErrorGroup] {
  /// Decides on the status of each group.
  func triaged(_ request: ReportRequest, from store: any MetricsStore) async throws -> [ErrorGroup] {
    let states = try await request.errorStates.current(app: request.app, in: store)
    let closed = states.filter { $0.value.status == .closed }.mapValues(\.changed)
    let since = Dictionary(
      uniqueKeysWithValues: compactMap { group in closed[group.id].map { (group.id, $0) } })
    let versions = since.isEmpty ? [:] : try await store.errorVersions(app: request.app, since: since)
    return map { group in
      var group = group
      // A group that is full collects unrelated errors, so a status would say nothing about any of them.
      if !group.isOverflow, let state = states[group.id] {
        group.triage = ErrorTriage(state, versions: [String](versions[group.id] ?? []))
      }
      return group
    }
  }
}

extension [Int64: ErrorState] {
  /// Returns the states by the current numbers of their groups. Of several groups that became one, the state that was changed last
  /// holds.
  package func current(app: AppID, in store: any MetricsStore) async throws -> Self {
    guard !isEmpty else { return self }
    let numbers = try await store.errorGroupNumbers(app: app, Set(keys))
    return Self(
      compactMap { number, state in numbers[number].map { ($0, state) } },
      uniquingKeysWith: { $0.changed < $1.changed ? $1 : $0 })
  }
}

extension ErrorTriage {
  /// Decides on a group by its later errors.
  package init(
    _ group: Int64, _ states: [Int64: ErrorState], app: AppID, from store: any MetricsStore
  ) async throws {
    guard let state = try await states.current(app: app, in: store)[group] else {
      self.init()
      return
    }
    let versions =
      state.status == .closed ? try await store.errorVersions(app: app, since: [group: state.changed])[group] ?? [] : []
    self.init(state, versions: [String](versions))
  }
}

extension ErrorGroup {
  /// True for the group of errors beyond the limit on new groups, which are unlike each other.
  package var isOverflow: Bool { Self.isOverflow(type: type) }

  private static func isOverflow(type: String) -> Bool { type == "(other)" }

  /// Returns true for the group of errors beyond the limit on new groups.
  package static func isOverflow(app: AppID, group: Int64, from store: any MetricsStore) async throws -> Bool {
    let ever = Day(number: -1_000_000)...Day(number: 1_000_000)
    guard let latest = try await store.errors(app: app, group: group, days: ever, limit: 1).first else { return false }
    return isOverflow(type: try await store.error(app: app, id: latest.id)?.type ?? "")
  }

  /// The latest version of an app in the last days, which is the one that a fix is not in yet; empty if unknown.
  package static func latestVersion(
    app: AppID, today: Day, from store: any MetricsStore
  ) async throws -> String {
    let days = today.advanced(by: 1 - ReportRequest.defaultDays)...today
    let seen = try await store.dailyCounts(app: app, dimension: .version, days: days).map(\.key)
    let versions = Set(seen).subtracting(["", "(other)"]).map { (label: $0, version: AppVersion($0)) }
    return versions.max { ($0.version, $0.label) < ($1.version, $1.label) }?.label ?? ""
  }
}
