import AppCatalog
import TernEvents
import Testing
import Warehouse

/// Filters that name a deleted person.
@Suite struct ForgottenFilterTests {
  private func remaining(_ person: Person, _ filters: String) throws -> (String?, Catalog.ForgottenFilters) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "A")
    _ = try catalog.createSegment(app: app.id, name: "S", filters: filters)
    let forgotten = try catalog.forget(person, app: app.id)
    let segment = try catalog.segments(app: app.id).first
    try catalog.close()
    return (segment?.filters, forgotten)
  }

  @Test func `a segment loses the name, wherever it is among values`() throws {
    let filters = [
      #"[["is","user",["a","b"]]]"#: #"[["is","user",["b"]]]"#,
      #"[["or",["is","country",["DE"]],["is","user",["b","a"]]]]"#:
        #"[["or",["is","country",["DE"]],["is","user",["b"]]]]"#,
      #"[["is","property:number",["a",7]]]"#: #"[["is","property:number",[7]]]"#,
    ]
    for (before, after) in filters {
      let (rest, forgotten) = try remaining(.user("a"), before)
      #expect(rest == after && forgotten.text == "1 segments without the person")
    }
    let (rest, _) = try remaining(.user("7"), #"[["is","property:number",["7",7,"8"]]]"#)
    #expect(rest == #"[["is","property:number",["8"]]]"#, "numbers too")
    let (install, _) = try remaining(
      .install("5ec4e700-0000-4000-8000-00000000beef"),
      #"[["is","install",["5EC4E700-0000-4000-8000-00000000BEEF","x"]]]"#)
    #expect(install == #"[["is","install",["x"]]]"#, "installs in either case")
  }

  @Test func `a segment with no other value is removed, because without the filter it would have more members`() throws
  {
    for filters in [
      #"[["is","user",["a"]],["is","country",["DE"]]]"#, #"[["not",["contains","user",["a"]]]]"#,
      #"[["has_done",{"event":"Play","filters":[["is","user",["a"]]]},{"at_least":1}]]"#,
    ] {
      let (rest, forgotten) = try remaining(.user("a"), filters)
      #expect(rest == nil && forgotten.removedSegments == 1, "\(filters)")
    }
  }

  @Test func `someone whose rows are gone is known while a filter names them`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let (app, other) = (try catalog.createApp(name: "A").id, try catalog.createApp(name: "B").id)
    let (segment, card, link) = (Person.user("a"), Person.user("b"), Person.install("c"))
    #expect(try !catalog.names(segment, app: app))
    _ = try catalog.createSegment(app: app, name: "S", filters: #"[["is","user",["a"]]]"#)
    _ = try catalog.createDashboard(
      app: app, name: "Board", cards: [DashboardCard(name: "Card", page: "explore", query: "f1=user+is+b")])
    _ = try catalog.createLink(app: app, report: "overview", query: "f1=install+is+C", sites: [])
    for person in [segment, card, link] {
      #expect(try catalog.names(person, app: app) && !catalog.names(person, app: other))
      _ = try catalog.forget(person, app: app)
      #expect(try !catalog.names(person, app: app))
    }
    #expect(try !catalog.names(.user("is"), app: app))
  }

  @Test func `operators and dimensions are no names`() throws {
    for name in ["is", "user", "or", "set", "country", "has_done", "event"] {
      let filters = #"[["or",["set","country"],["is","user",["b"]]],["has_done",{"event":"Play"}]]"#
      #expect(try remaining(.user(name), filters) == (filters, Catalog.ForgottenFilters()), "\(name)")
    }
  }

  @Test func `cards and links that name the person are removed, others stay, and the audit log does not name them`()
    throws
  {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let (app, other) = (try catalog.createApp(name: "A").id, try catalog.createApp(name: "B").id)
    let query = "metric=users&f1=property%3Amail&o1=is&v1=ann%40example.com"
    let short = "f1=country+is+DE&f2=%22property:My+is%22+is+ann@example.com"
    let json = "filters=%5B%5B%22is%22%2C%22property%3Amail%22%2C%5B%22ann%40example.com%22%5D%5D%5D"
    for app in [app, other] {
      _ = try catalog.createDashboard(
        app: app, name: "Board",
        cards: [
          DashboardCard(name: "named", page: "explore", query: query),
          DashboardCard(name: "named", page: "explore", query: short),
          DashboardCard(name: "plain", page: "explore", query: "f1=property:mail+is+joann@example.com"),
        ])
      for query in [json, short, "days=7"] {
        _ = try catalog.createLink(app: app, report: "overview", query: query, sites: [])
      }
    }
    let forgotten = try catalog.forget(.user("ann@example.com"), app: app)
    #expect(forgotten.cards == 2 && forgotten.links == 2)
    #expect(try catalog.dashboards(app: app).flatMap(\.cards).map(\.name).filter { $0 == "named" }.isEmpty)
    #expect(try catalog.dashboards(app: other).flatMap(\.cards).contains { $0.name == "named" })
    #expect(try catalog.links(app: app).map(\.query) == ["days=7"] && catalog.links(app: other).count == 3)
    #expect(try catalog.audit(limit: .max).allSatisfy { !$0.subject.contains("ann") })
    try catalog.close()
  }

  @Test func `events that name no one can be deleted, but not refused for good`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "A").id
    for person in [Person.install("(none)"), .install("a"), .user("(none)")] {
      for refusesLater in [false, true] {
        let request = PersonDeletionRequest(person: person, refusesLater: refusesLater)
        if person == .install("(none)"), refusesLater {
          #expect(throws: WarehouseError.self) { try catalog.requestDeletion(request, app: app) }
        } else {
          #expect(try catalog.requestDeletion(request, app: app).app == app)
        }
      }
    }
    try catalog.close()
  }

  @Test func `all names of a person are forgotten together, with one entry in the audit log`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "A").id
    let cards = ["ann", "anon", "bob"].map {
      DashboardCard(name: $0, page: "explore", query: "f1=property:mail+is+\($0)")
    }
    _ = try catalog.createDashboard(app: app, name: "Board", cards: cards)
    let entries = try catalog.audit(limit: .max).count
    #expect(try catalog.forget([.user("ann"), .user("anon"), .user("ann")], app: app).cards == 2)
    // An app has a dashboard from the start.
    #expect(try catalog.dashboards(app: app).first { $0.name == "Board" }?.cards.map(\.name) == ["bob"])
    #expect(try catalog.audit(limit: .max).count == entries + 1)
    #expect(try catalog.forget([], app: app) == Catalog.ForgottenFilters())
    try catalog.close()
  }
}
