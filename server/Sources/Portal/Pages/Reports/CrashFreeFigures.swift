import Questions
import Reports
import Warehouse

/// The shares of users and sessions without a crash.
private enum CrashFree {
  static let users = QuestionMetric.Plain.crashFreeUsers
  static let sessions = QuestionMetric.Plain.crashFreeSessions
  static let metrics: [QuestionMetric] = [.plain(users), .plain(sessions), .plain(.users), .plain(.sessions)]
  /// The versions with the most users.
  static let versions = 10

  /// Asks for figures of the whole range.
  static func totals(
    _ metrics: [QuestionMetric], _ request: ReportRequest, _ filters: [QuestionFilter]
  ) -> Question {
    .query(
      QueryQuestion(
        scope: QuestionScope(
          range: .dates(request.days.lowerBound, request.days.upperBound), filters: filters), metrics: metrics))
  }

  static func question(
    by group: QuestionDimension, _ request: ReportRequest, _ filters: [QuestionFilter]
  ) -> Question {
    .query(
      QueryQuestion(
        scope: QuestionScope(
          range: .dates(request.days.lowerBound, request.days.upperBound), filters: filters), metrics: metrics,
        groups: [.init(group)], order: group == .version ? [.init(.metric(2), isDescending: true)] : [],
        includesTotals: true, includesTotalRows: true, limit: group == .version ? versions : .max))
  }
}

/// The shares of users and sessions without a crash, for pages of errors.
struct CrashFreeFigures {
  let visit: PageVisit

  /// Users and sessions without a crash: in all, by day and by version; `nil` without users.
  ///
  /// - Parameter crashesWithoutSession: The crashes that no session counts, which the figure names: it may be 100 % beside them.
  func crashFree(_ page: ReportVisit, crashesWithoutSession: Int) async throws -> TemplateValues? {
    guard let ask = page.ask else { return nil }
    do {
      let filters = try page.request.filter.filters(visit.segments)
      let byTime = CrashFree.question(by: .time(.day), page.request, filters)
      let byName = CrashFree.question(by: .version, page.request, filters)
      let ask = await ask.preparing([byTime, byName])
      guard case .query(let byDay) = try await ask(byTime).answer,
        case .query(let byVersion) = try await ask(byName).answer,
        let totals = byDay.totals, let users = totals[2], users > 0
      else { return nil }
      let chart = Self.chart(byDay, page.request)
      return [
        "tiles": visit.tiles([
          .tile(
            "Crash-free users", ChartFormat.highShare.text(totals[0]), hint: "of \(ChartFormat.count.text(users))",
            link: totals[0] == 1 ? nil : visit.people(page.request, [FilterRow("kind", value: "crash")]),
            about: "\(CrashFree.users.about) Handled errors are not crashes."),
          .tile(
            "Crash-free sessions", ChartFormat.highShare.text(totals[1]),
            hint: "of \(ChartFormat.count.text(totals[3]))" + Self.remark(crashesWithoutSession),
            about: "\(CrashFree.sessions.about) Handled errors are not crashes."),
        ]), "chart": visit.drawn(chart), "table": visit.table(chart), "grid": grid(byVersion, page.request).values,
      ]
    } catch let error as QuestionError {
      return ["message": "No crash-free figures: \(visible(error.message))"]
    }
  }

  private static func remark(_ crashes: Int) -> String {
    switch crashes {
    case 0: ""
    case 1: "; 1 crash belongs to no session"
    default: "; \(grouped(crashes)) crashes belong to no session"
    }
  }

  /// The share of users without a crash, and what it would be without the crashes of a group; `nil` without users.
  func crashFree(without group: Int64, _ page: ReportVisit) async throws -> TemplateValues? {
    guard let ask = page.ask, let group = Int(exactly: group) else { return nil }
    do {
      let filters = try page.request.filter.filters(visit.segments)
      let others: [QuestionFilter] = [
        .isOneOf(.kind, [.text(QuestionKind.crash.rawValue)]), .not(.isError(group: group)),
      ]
      let everybody = CrashFree.totals([.plain(CrashFree.users), .plain(.users)], page.request, filters)
      let crashed = CrashFree.totals([.plain(.users)], page.request, filters + others)
      let ask = await ask.preparing([everybody, crashed])
      guard case .query(let shares) = try await ask(everybody).answer,
        case .query(let without) = try await ask(crashed).answer,
        let row = shares.rows.first?.metrics, let share = row[0], let users = row[1], users > 0
      else { return nil }
      let crashes = without.rows.first?.metrics[0] ?? 0
      return .tile(
        "Crash-free users", ChartFormat.highShare.text(share),
        hint: "\(ChartFormat.highShare.text(1 - crashes / users)) without this crash",
        about: "\(CrashFree.users.about) Without this crash: the share if nobody had had it.")
    } catch is QuestionError {
      // The other figures are there.
      return nil
    }
  }

  private static func chart(_ answer: QueryAnswer, _ request: ReportRequest) -> Chart {
    let rows = Dictionary(
      answer.rows.map { ($0.dimensions.first??.text ?? "", $0.metrics) }, uniquingKeysWith: { first, _ in first })
    let days = request.days.map { rows[$0.description] }
    return Chart(
      id: "crashfree", title: "Users and sessions without a crash per day, \(request.days.text)",
      places: request.days.map { Chart.Place($0, isOpen: $0 >= request.today) },
      series: [
        .init(name: "Users", values: days.map { $0?[0] }, color: 3),
        .init(name: "Sessions", values: days.map { $0?[1] }, color: 2),
      ], format: .highShare)
  }

  private func grid(_ answer: QueryAnswer, _ request: ReportRequest) -> AnswerGrid {
    let all = answer.totalRows ?? answer.rows.count
    return AnswerGrid(
      heading: "Crash-free by version", about: "Versions with the most users first.",
      columns: ["Version", "Crash-free users", "Crash-free sessions", "Users", "Sessions"],
      rows: answer.rows.map { row in
        let version = (row.dimensions.first ?? nil)?.plainText ?? ""
        let cells = zip([.highShare, .highShare, .count, .count] as [ChartFormat], row.metrics).enumerated()
        return [.head(valueText(row.dimensions.first ?? nil), filter: visit.filterLink(request, .version, version))]
          + cells.map { index, cell in
            .cell(cell.0.text(cell.1), link: index == 2 ? visit.people(request, .version, version) : nil)
          }
      },
      note: all > answer.rows.count
        ? "\(answer.rows.count) of \(grouped(all)) versions. Explore shows crash-free users by all of them." : nil)
  }
}
