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
      name: "Buyers per week", page: "explore", query: "event=Purchase&interval=week&days=90"),
    DashboardCard(
      name: "Checkout by version", page: "funnels",
      query: "by=version&window=1h&days=90&s1=screen+Checkout&s2=event+Purchase"),
    DashboardCard(
      name: "From the first session to the purchase", page: "funnels",
      query: "days=90&s1=session_start&s2=screen+Player&s3=screen+Checkout&s4=event+Purchase"),
    DashboardCard(
      name: "Revenue by plan", page: "explore",
      query: "metric=sum&property=Total&event=Purchase&by=property:Plan&interval=week&days=90"),
  ]
}
