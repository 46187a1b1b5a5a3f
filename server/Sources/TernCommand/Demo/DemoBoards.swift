import AppCatalog
import Warehouse

/// The saved work of the demo app's editors: a dashboard about sales, a segment, a note about the advertisement, and what
/// became of two errors.
struct DemoBoards {
  let app: App
  /// The number of days of history.
  let days: Int

  /// Saves everything.
  func create(_ catalog: Catalog, on today: Day) throws {
    _ = try catalog.createDashboard(app: app.id, name: "Sales", cards: Self.cards)
    _ = try catalog.createAnnotation(
      app: app.id, day: today.advanced(by: days * Self.campaignPercent / 100 - days),
      text: "An advertisement brings new people")
    _ = try catalog.createSegment(
      app: app.id, name: "Buyers", filters: #"[["has_done", {"event": "Purchase"}, {"at_least": 1}]]"#)
  }

  /// Closes one error and ignores another, each with a note.
  func settle(_ errors: [ErrorGroup], _ catalog: Catalog) throws {
    for settled in Self.settled {
      guard let group = errors.first(where: { $0.type == settled.type }) else { continue }
      _ = try catalog.setErrorState(
        app: app.id, group: group.id, status: settled.status, note: settled.note, version: settled.version)
    }
  }

  private static let settled: [(type: String, status: ErrorStatus, note: String, version: String)] = [
    (
      "SubtitleError", .closed, "The player looked for subtitles before their list had arrived. It waits now.",
      "3.2.1 (421)"
    ),
    (
      "PreviewError", .ignored, "People scroll past a picture before it has arrived. It is loaded when they return.", ""
    ),
  ]

  /// The day on which the example app's advertisement begins, in percent of its history.
  private static let campaignPercent = 38

  private static let cards = [
    DashboardCard(
      name: "Buyers per week", page: "explore", query: "range=90d&metric=users&k0=event&n0=Purchase&interval=week"),
    DashboardCard(
      name: "Checkout by version", page: "funnels",
      query: "range=90d&breakdown=version&window=1h&k1=screen&n1=Checkout&k2=event&n2=Purchase"),
    DashboardCard(
      name: "From the first session to the purchase", page: "funnels",
      query: "range=90d&window=14d&k1=session_start&k2=screen&n2=Player&k3=screen&n3=Checkout&k4=event&n4=Purchase"),
    DashboardCard(
      name: "Revenue by plan", page: "explore",
      query: "range=90d&metric=sum&property=Total&k0=event&n0=Purchase&breakdown=property%3APlan&interval=week"),
  ]
}
