import JSON
import Questions
import Reports
import Warehouse

/// The page Paths: the screens and events that follow each other.
struct PathsPage {
  let visit: PageVisit

  func show(
    _ answer: PathsAnswer, other: OtherAnswer?, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    guard !answer.edges.isEmpty else {
      view.emptyState = (
        "No paths", "No session in this range has two such steps. Choose a longer range, or another start."
      )
      return
    }
    let isBackwards = form["end"] != nil
    var otherAnswer: PathsAnswer?
    if let other, case .paths(let answer) = other.answer { otherAnswer = answer }
    if form["show"] != "table" {
      view.foldsGrids = true
      view.pictures = [drawing(answer, isBackwards: isBackwards, form, app)]
      if let other, let otherAnswer, !otherAnswer.edges.isEmpty {
        var picture = drawing(otherAnswer, isBackwards: isBackwards, other.form, app)
        picture.heading += ": \(other.comparison.name)"
        view.pictures.append(picture)
      }
    }
    let (shares, otherShares) = (PathShares(answer), otherAnswer.map { PathShares($0) })
    let columns = ["From", "To", "Sessions", "Share"] + (other?.columns ?? [])
    for step in Set(answer.edges.map(\.step)).sorted() {
      let edges = answer.edges.filter { $0.step == step }
      let (rest, ended) = (answer.other.at(step - 1), answer.ended.at(step - 1))
      var rows = edges.map { edge -> [TemplateValues] in
        let share = shares[edge] ?? 0
        return [
          .head(valueText(edge.from.name), link: links(edge.from, form, app)?.forwards),
          .cell(valueText(edge.to.name), link: links(edge.to, form, app)?.forwards, style: "name"),
          .cell(grouped(edge.sessions), link: people(edge, form, app), bar: ShareBar.svg(share)),
          .cell(percentage(share)),
        ]
          + (otherShares.map { OtherAnswer.cells(share, other: $0[edge]) } ?? [])
      }
      if rest > 0 {
        rows.append(
          [.head("(other)"), .cell(""), .cell(grouped(rest))]
            + Array(repeating: .cell(""), count: columns.count - 3))
      }
      view.grids.append(
        AnswerGrid(
          heading: isBackwards ? "\(step) before the end" : "Step \(step)",
          about: isBackwards
            ? "The sessions that went from one to the other \(counted(step, "step")) before the end."
            : "The sessions that went from one to the other at step \(step).",
          columns: columns, rows: rows,
          note: ended > 0 ? "\(counted(ended, "session")) \(isBackwards ? "began" : "ended") here." : nil))
    }
  }

  /// The address of the persons whose sessions take an edge.
  private func people(_ edge: PathsAnswer.Edge, _ form: QuestionForm, _ app: App) -> String? {
    guard let from = edge.from.name.text, let to = edge.to.name.text else { return nil }
    return visit.people(
      form, app,
      [
        "group": "path", "step": String(edge.step),
        "pathfrom": RowChoice(kind: edge.from.isScreen ? "screen" : "event", name: from)?.text,
        "pathto": RowChoice(kind: edge.to.isScreen ? "screen" : "event", name: to)?.text,
      ])
  }

  private func drawing(
    _ answer: PathsAnswer, isBackwards: Bool, _ form: QuestionForm, _ app: App
  ) -> QuestionView.Picture {
    let flow = PathFlow(answer, isBackwards: isBackwards)
    let last = flow.columns.count - 1
    let headings = flow.columns.indices.map { column -> String in
      let step = isBackwards ? last - column : column
      let ended = answer.ended.at(step)
      let name = !isBackwards ? "Step \(step + 1)" : step == 0 ? "End" : "\(step) before"
      return name + (ended > 0 ? " · \(grouped(ended)) \(isBackwards ? "began" : "ended")" : "")
    }
    let drawing = PathDrawing(
      flow: flow, headings: headings, name: { valueText($0.name) }, links: { links($0, form, app) })
    return .init(
      heading: isBackwards ? "What led there" : "Where sessions went",
      about: "The thicker a band, the more sessions took that way. Choose a name to follow sessions from there, or its "
        + "arrow to see what led to it.", content: drawing.html())
  }

  private func links(_ node: PathsAnswer.Node, _ form: QuestionForm, _ app: App) -> PathDrawing.Links? {
    guard let name = node.name.text else { return nil }
    let place = RowChoice(kind: node.isScreen ? "screen" : "event", name: name)?.text
    func link(start: String?, end: String?) -> String {
      PortalLinks(app: app.id).question(.paths, form.query(["start": start, "end": end]))
    }
    return PathDrawing.Links(forwards: link(start: place, end: nil), backwards: link(start: nil, end: place))
  }
}

extension QuestionPageDefinition {
  static var paths: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "The screens and events that follow each other within sessions.",
      icon: "M3 5h4c4 0 2 10 6 10h4M3 15h4c4 0 2-10 6-10h4",
      sentence: { form in
        let place = form.rows("start") ?? form.rows("end")
        return [
          form.choice(
            "The", "Rows on the paths", "nodes",
            [("screens", "screens"), ("events", "events"), ("both", "screens and events")], "screens"),
          form.choice(
            "", "Direction", "anchor", [("start", "that follow"), ("end", "that lead to")],
            form["end"] == nil ? "start" : "end"),
          QuestionForm.kind("", 1, place, "", [("", "the start of a session")] + QuestionForm.kinds.prefix(2)),
          QuestionForm.name(1, place),
        ]
      },
      more: { form in [form.text("Steps", "Number of steps", "depth", "5", empty: "5")] + form.display },
      question: { form throws(QuestionError) in .paths(try form.paths()) },
      groups: [
        PersonsGroupForm(name: "path") { form throws(QuestionError) in
          var group = PathGroup(paths: try form.paths())
          try group.set("step", to: QuestionForm.number(form["step"] ?? "1"))
          try group.set("from", to: form.rows("pathfrom")?.json ?? .null)
          try group.set("to", to: form.rows("pathto")?.json ?? .null)
          return group.group
        } text: { form in
          " whose session went from \(shown(form.rows("pathfrom")?.name ?? "")) to "
            + shown(form.rows("pathto")?.name ?? "")
        }
      ],
      view: { visit, form, app, today, ask in
        try await visit.view(form, app, today: today, ask) { answered, other, view in
          if case .paths(let answer) = answered.answer {
            PathsPage(visit: visit).show(answer, other: other, form, app, &view)
          }
        }
      })
  }
}

extension QuestionForm {
  func paths() throws(QuestionError) -> PathsQuestion {
    var paths = PathsQuestion(scope: try scope())
    try fill(&paths, "nodes")
    try fill(&paths, number: "depth")
    if let end = rows("end") {
      try paths.set("end", to: end.json)
    } else if let start = rows("start") {
      try paths.set("start", to: start.json)
    }
    return paths
  }
}

/// The share of each edge among the sessions of its step.
private struct PathShares {
  private struct Key: Hashable {
    var step: Int
    var from: PathsAnswer.Node
    var to: PathsAnswer.Node
  }

  private let sessions: [Key: Int]
  private let all: [Int: Int]

  init(_ answer: PathsAnswer) {
    sessions = Dictionary(
      answer.edges.map { (Key(step: $0.step, from: $0.from, to: $0.to), $0.sessions) },
      uniquingKeysWith: { first, _ in first })
    all = answer.edges.reduce(
      into: Dictionary(uniqueKeysWithValues: answer.other.enumerated().map { ($0 + 1, $1) })
    ) { $0[$1.step, default: 0] += $1.sessions }
  }

  /// The share from 0 to 1; `nil` for an edge that is not in the answer.
  subscript(edge: PathsAnswer.Edge) -> Double? {
    sessions[Key(step: edge.step, from: edge.from, to: edge.to)].map {
      Double($0) / Double(max(all[edge.step] ?? 0, 1))
    }
  }
}

extension Array<Int> {
  /// The element at an index, or 0 beyond the end.
  fileprivate func at(_ index: Int) -> Int { indices.contains(index) ? self[index] : 0 }
}
