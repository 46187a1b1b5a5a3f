import Questions
import Reports
import TernEvents
import Warehouse

/// The page People: the users behind a figure.
struct PeoplePage {
  let visit: PageVisit

  func show(_ answer: PersonsAnswer, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) throws {
    guard !answer.persons.isEmpty else {
      view.emptyState = ("No users", "No one matches. Remove a filter or choose a longer range.")
      return
    }
    let (links, key) = (PortalLinks(app: app.id), form["by"])
    let zone = ReportZone(app.zone)
    func time(_ milliseconds: Int64) -> String {
      let time = Timestamp(millisecondsSince1970: milliseconds)
      return "\(zone.day(of: time).longText), \(zone.timeOfDay(of: time).prefix(5))"
    }
    func filter(_ dimension: String, _ value: String?) -> String? {
      value.flatMap { visit.filterLink(form, app, FilterRow(dimension, value: $0)) }
    }
    let rows = answer.persons.map { person -> [TemplateValues] in
      [
        .head(
          person.user.map { shown($0) } ?? shownInstall(person.install),
          link: links.trail(
            of: key == "user" ? person.user.map { .user($0) } ?? .install(person.install) : .install(person.install)),
          whole: person.user == nil && shortened(person.install) != nil ? person.install : nil),
        .cell(time(person.last.time)),
        .cell(time(person.firstSeen)), .cell(grouped(person.events)), .cell(grouped(person.sessions)),
        .cell(person.version.map { shown($0) } ?? "–", filter: filter("version", person.version)),
        .cell(modelName(person.model ?? ""), filter: filter("model", person.model)),
        .cell(countryName(person.country ?? ""), filter: filter("country", person.country)),
      ]
    }
    let isCut = answer.persons.count == PersonsQuestion.defaultLimit
    let next = isCut ? answer.persons.last.flatMap { visit.people(form, app, ["before": $0.last.text]) } : nil
    view.grids = [
      AnswerGrid(
        heading: counted(answer.total, "user") + form.groupText,
        about: "Events and sessions are those that match the filters; open a user to see everything they did.",
        columns: ["User", "Last seen", "First seen", "Events", "Sessions", "Version", "Model", "Country"], rows: rows,
        next: next)
    ]
  }
}

extension QuestionPageDefinition {
  static var people: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "The users behind a figure, last seen first.",
      icon: "M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-3.5 2.7-5.5 6-5.5s6 2 6 5.5",
      question: { form throws(QuestionError) in try form.persons().map { .persons($0) } },
      files: { form throws(QuestionError) in
        guard var persons = try form.persons() else { return [] }
        // All pages of the list in one file.
        (persons.limit, persons.before) = (PersonsQuestion.maximumLimit, nil)
        return [QuestionFile(title: "Users\(form.groupText)", .persons(persons))]
      },
      groups: [
        PersonsGroupForm(name: "error") { form throws(QuestionError) in
          guard form["error"] != nil else { return nil }
          var group = ErrorPersons()
          try form.fill(&group, number: "group", from: "error")
          return group.group
        } text: { _ in
          " who had this error"
        }
      ],
      view: { visit, form, app, today, ask in
        try await visit.view(form, app, today: today, ask) { answered, _, view in
          if case .persons(let answer) = answered.answer { try PeoplePage(visit: visit).show(answer, form, app, &view) }
        }
      })
  }
}
