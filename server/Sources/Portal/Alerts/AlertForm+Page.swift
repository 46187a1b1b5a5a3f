import Alerts
import Outgoing
import Questions
import Reports
import Warehouse

/// The form as a sentence.
extension AlertForm {
  /// The values of the template.
  ///
  /// - Parameters:
  ///   - app: The app; `nil` for an alert about the server.
  ///   - name: The name of the alert that the form changes.
  ///   - faults: The mistakes in the builder's fields, by their names.
  ///   - chart: The course of the figure as HTML.
  ///   - result: What became of the form that was posted.
  func values(
    _ visit: PageVisit, app: App?, name: String?, to address: String, _ destinations: AlertDestinations,
    faults: [String: String], chart: String?, words: String?, message: String?,
    result: FormResult
  ) -> TemplateValues {
    let links = app.map { PortalLinks(app: $0.id) }
    let about = app != nil && isAboutFigure
    let figure = figure
    let rows = about ? figure.rows : []
    let filters = FilterRows(rows, others: about ? figure.otherFilters : [])
    return [
      "heading": alertID == nil ? "Add an alert" : "Change \(shown(name ?? "an alert"))",
      "address": address, "action": alertID == nil ? "create" : "change", "label": alertID == nil ? "Add" : "Save",
      "values": links?.values, "properties": links?.properties, "hidden": hidden(app, figure),
      "subjects": app == nil ? [] : subjects(address),
      "lead": lead(app),
      "parts": Builder.parts(
        sentence(app, visit, figure).map { field in
          var field = field
          field.fault = faults[field.name]
          if field.fault != nil { field.isShown = true }
          return field
        }),
      "hasFilters": about,
      "rows": rows.enumerated().map { FilterRows.fields($0 + 1, $1, fault: faults["f\($0 + 1)"]) },
      "others": filters.others.map { FilterRows.words($0) },
      "blank": FilterRows.fields(rows.count + 1, nil), "dimensions": Builder.dimensions,
      "condition": app == nil ? [] : condition.map(\.values),
      "chart": chart, "words": words, "message": message.map { visible($0) },
      "hasPreview": about,
      "known": self.known(destinations),
      "kinds": Destination.kinds.map { kind -> TemplateValues in
        ["value": kind, "text": kind, "isChosen": kind == fields["tokind"]]
      },
      "to": visible((fields["to"] ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")),
      "mail": visit.server.sendsMail
        ? nil : "Mail isn’t set up on this server, so mails wait and fail: its operator sets --smtp and --mail-from.",
      "more": more(figure, app).map(\.values), "isMoreOpen": alertID != nil || result.message != nil,
      "notice": result.message.map { visible($0) }, "done": result.done.map { visible($0) }, "help": help(app),
      "builderScript": PortalAssets.link("builder.js"),
    ]
  }

  private func hidden(_ app: App?, _ figure: QuestionForm) -> [TemplateValues] {
    var hidden: [TemplateValues] = []
    if let alertID { hidden += [.hidden("id", "\(alertID)"), .hidden("version", visible(fields["version"] ?? ""))] }
    guard app != nil else { return hidden }
    guard isAboutFigure else { return hidden + [.hidden("kind", kind.rawValue)] }
    hidden.append(.hidden("page", figure.page.rawValue))
    // Filters that need more than a row stay.
    if let filters = figure["filters"] { hidden.append(.hidden("filters", filters)) }
    return hidden
  }

  /// The links that choose what the alert is about.
  private func subjects(_ address: String) -> [TemplateValues] {
    let edit = alertID.map { [("edit", "\($0)")] } ?? []
    func link(_ text: String, _ query: [(String, String)], isActive: Bool) -> TemplateValues {
      .link(text, "\(address)?\(AddressText.query(edit + query))#form", isActive: isActive)
    }
    let isFunnel = figure.page == .funnels
    return [
      link("A figure", [("question", "metric=users")], isActive: isAboutFigure && !isFunnel),
      link("A funnel", [("question", "funnels?")], isActive: isAboutFigure && isFunnel),
    ]
      + [("A new error", AlertCondition.Kind.newError), ("A closed error", .cameBack), ("Silence", .silent)].map {
        text, kind in
        link(text, [("kind", kind.rawValue)], isActive: self.kind == kind)
      }
  }

  private func lead(_ app: App?) -> String {
    guard app != nil else { return "Alert me when the server has a problem" }
    return switch kind {
    case .newError: "Alert me when an error of a new kind occurs"
    case .cameBack: "Alert me when a closed error comes back in a later version"
    case .silent: "Alert me when nothing has arrived"
    case .above, .below, .changed, .crashFree, .server: "Alert me when"
    }
  }

  /// The controls of the figure, as on its own page, and the segment.
  private func sentence(_ app: App?, _ visit: PageVisit, _ figure: QuestionForm) -> [BuilderField] {
    guard app != nil, isAboutFigure else { return [] }
    // An alert has no breakdown.
    return figure.page.definition.sentence(figure).filter { $0.name != "by" }
      + [visit.segmentField(figure["segment"])].compactMap { $0 }
  }

  /// The controls of the condition.
  private var condition: [BuilderField] {
    let (caption, example, unit): (String, String, String?) =
      switch limitUnit {
      case .percent: ("Limit, in %", "99.5", "%")
      case .seconds: ("Limit, in seconds", "60", "seconds")
      case .number: kind == .silent ? ("Hours", "24", "hours") : ("Limit (of shares, in %)", "10", nil)
      }
    var limit = BuilderField(word: "", label: caption, name: "limit", value: fields["limit"] ?? "")
    (limit.placeholder, limit.after) = (example, unit)
    guard isAboutFigure else {
      limit.word = "for"
      return kind == .silent ? [limit] : []
    }
    let below = kind == .crashFree ? kind : .below
    return [
      BuilderField(
        word: "", label: "Condition", name: "kind", value: kind.rawValue,
        options: [
          (AlertCondition.Kind.above.rawValue, "is above"), (below.rawValue, "is below"),
          (AlertCondition.Kind.changed.rawValue, "changes by more than, in %,"),
        ]), limit,
      BuilderField(
        word: "per", label: "Period", name: "period", value: fields["period"] ?? AlertPeriod.day.rawValue,
        options: figure.page == .funnels ? [("day", "day")] : [("day", "day"), ("hour", "hour")]),
    ]
  }

  private func known(_ destinations: AlertDestinations) -> [TemplateValues] {
    let checked = checkedDestinations
    let choices = destinations.choices
    return (choices + checked.filter { !choices.contains($0) }).enumerated().map { index, text in
      [
        "name": "\(Self.destinationField)\(index + 1)", "value": text, "text": shown(text),
        "isOn": checked.contains(text),
      ]
    }
  }

  private func more(_ figure: QuestionForm, _ app: App?) -> [BuilderField] {
    var name = BuilderField(word: "Name", label: "Name", name: "name", value: fields["name"] ?? "")
    name.placeholder = app == nil ? "Server" : "the condition"
    guard app != nil, isAboutFigure else { return [name] }
    var users = BuilderField(
      word: "only with at least", label: "Minimum number of users", name: "users", value: fields["users"] ?? "")
    (users.placeholder, users.after) = ("30 for changes and crash-free users, otherwise 0", "users")
    return [name, users] + figure.page.definition.more(figure).filter { $0.name == "order" } + [figure.identityField]
  }

  private func help(_ app: App?) -> String {
    guard app != nil else {
      return
        "It reports when events can’t be counted, the disk is nearly full, the certificate expires soon, a backup fails "
        + "or the cluster is behind."
    }
    guard isAboutFigure else {
      return "Errors are reported at most once an hour: those in between are in the next message."
    }
    return
      "Hours and days are checked ten minutes after they have ended, and days again for three days, since crashes arrive "
      + "with the next launch of their app. A funnel’s figure is the percentage of users who take all steps on a day. Shares "
      + "are percentages from 0 to 100, durations of sessions are in seconds, without pauses of 30 minutes and more."
  }
}
