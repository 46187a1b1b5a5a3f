import Ingest
package import Questions
import Reports
import TernBase
import TernEvents
package import Warehouse

/// The page of one person: the summary of all rows, then a page of the rows by day, newest first.
package struct PersonPage: Page {
  let visit: PageVisit
  let rows: [TrailRow]
  let person: Person
  let summary: PersonSummary?
  let app: App
  let apps: [App]
  let later: PersonsCursor?
  let earlier: PersonsCursor?
  let message: String?

  /// - Parameters:
  ///   - later: The first row of the page, if the person has later ones.
  ///   - earlier: The last row of the page, if the person has earlier ones.
  ///   - message: The reason why the form that deletes the person failed.
  package init(
    _ visit: PageVisit, _ rows: [TrailRow], of person: Person, _ summary: PersonSummary?, app: App, apps: [App],
    later: PersonsCursor? = nil, earlier: PersonsCursor? = nil, message: String? = nil
  ) {
    (self.visit, self.rows, self.person, self.summary, self.app, self.apps, self.later, self.earlier, self.message) = (
      visit, rows, person, summary, app, apps, later, earlier, message
    )
  }

  package func html() throws -> String {
    let (links, zone) = (PortalLinks(app: app.id), ReportZone(app.zone))
    var days: [(day: Day, entries: [TemplateValues])] = []
    for (index, row) in rows.enumerated() {
      let day = zone.day(of: row.event.time)
      if days.last?.day != day { days.append((day, [])) }
      let earlier = index + 1 < rows.count ? rows[index + 1].event : nil
      days[days.count - 1].entries.append(entry(row, after: earlier, links, zone))
    }
    var shell = Shell(app: app, apps: apps, report: nil, title: Self.title(of: person))
    shell.breadcrumb = .link("People", links.question(.people))
    shell.question = .people
    let values: TemplateValues = [
      "days": days.map { ["heading": $0.day.weekdayText, "entries": $0.entries] as TemplateValues },
      "summary": summary.map { header($0, links, zone) },
      "hasPages": later != nil || earlier != nil,
      "later": later.map { "\(links.trail(of: person))?after=\($0.text)" },
      "earlier": earlier.map { "\(links.trail(of: person))?before=\($0.text)" }, "newest": links.trail(of: person),
      "kept": earlier == nil
        ? app.keeping.map { "Earlier rows may be gone: this app keeps them for \($0.words)." } : nil,
      "none": rows.isEmpty ? "Nothing earlier is stored." : nil,
      "deletion": visit.reader.canEdit ? links.trail(of: person) : nil, "person": Self.title(of: person),
      "install": person.installText, "message": message.map { visible($0) },
      "isJoined": !(summary?.identifiers ?? []).isEmpty,
      "identity": person.isUser ? "User ID" : "Install",
      "confirmation": person.isUser
        ? "the user ID" : person.installText == nil ? "the install" : "the install, or the part of it in the heading",
    ]
    return visit.page(shell, body: visit.templates.render("trail", values))
  }

  private static func title(of person: Person) -> String {
    switch person {
    case .install(let name): shownInstall(name)
    case .user(let name): shown(name)
    }
  }

  private func entry(
    _ row: TrailRow, after earlier: StoredEvent?, _ links: PortalLinks, _ zone: ReportZone
  ) -> TemplateValues {
    let event = row.event
    let isError = event.kind == .crash || event.kind == .handledError
    let version = DeviceLabels(event.device).version
    let before = earlier.map { DeviceLabels($0.device).version }
    let isUpdate = before.map { !$0.isEmpty && !version.isEmpty && !$0.hasBytes(of: version) } ?? false
    return [
      "kind": event.kind.name, "caption": StoredEventText.caption(event.kind), "clock": zone.timeOfDay(of: event.time),
      "isoTime": event.time.isoText,
      "title": event.kind == .sessionStart ? "Session started" : shown(event.name, empty: "–"),
      "errorLink": isError ? links.page(AppReports.error, [.occurrence: String(event.id)]) : nil,
      "properties": StoredEventText.properties(of: event), "isStart": row.startsSession,
      "update": isUpdate ? "\(shown(before ?? "")) → \(shown(version))" : nil,
      "place": [modelName(event.device.model, empty: ""), shown(version), countryName(event.device.country, empty: "")]
        .filter { !$0.isEmpty }.joined(separator: " · "),
    ]
  }
}

extension Person {
  /// The address of the person's rows.
  package func path(app: AppID) -> String { PortalLinks(app: app).trail(of: self) }

  /// True if a text that was typed names the person as their page does.
  package func isNamed(by text: String) -> Bool {
    switch self {
    case .user(let name): [name, shown(name)].contains(text)
    // Without the ellipsis, which is hard to type.
    case .install(let name):
      name == text || shortened(name).map { ["\($0)", "\($0.dropLast())"].contains(text) } ?? false
    }
  }

  fileprivate var isUser: Bool { if case .user = self { true } else { false } }

  /// The identifier of an install that a title shortens.
  fileprivate var installText: String? {
    if case .install(let name) = self, shortened(name) != nil { name } else { nil }
  }
}

extension PersonsCursor {
  /// The place directly after a row, before which the row itself is the latest one.
  init(after row: (id: Int64, time: Timestamp)) {
    self.init(time: row.time.millisecondsSince1970, row: row.id == .max ? .max : row.id + 1)
  }
}

extension PortalLinks {
  /// The address that leads to the rows of the install with a number, the latest ones first.
  ///
  /// - Parameter event: The row with which the page begins; `nil` for the latest one.
  func install(_ number: Int, from event: (id: Int64, time: Timestamp)? = nil) -> String {
    "/apps/\(app)/people/numbers/\(number)" + Self.beginning(event)
  }

  /// The address of the rows of a person.
  ///
  /// - Parameter event: The row with which the page begins; `nil` for the latest one.
  func trail(of person: Person, from event: (id: Int64, time: Timestamp)? = nil) -> String {
    let path =
      switch person {
      case .install(let name): "installs/\(PercentCoding.encode(name))"
      case .user(let name): "users/\(PercentCoding.encode(name))"
      }
    return "/apps/\(app)/people/\(path)" + Self.beginning(event)
  }

  private static func beginning(_ event: (id: Int64, time: Timestamp)?) -> String {
    event.map { "?before=\(PersonsCursor(after: $0).text)" } ?? ""
  }
}
