import Questions
import Reports
import Warehouse

extension PortalPages {
  func show(_ answer: PathsAnswer, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    guard !answer.edges.isEmpty else {
      view.calm = ("No paths", "No session in this range has two such steps. Choose a longer range, or another start.")
      return
    }
    let isBackwards = form["anchor"] == "end" && form.selector(1) != nil
    view.pictures = [drawing(answer, isBackwards: isBackwards, form, app)]
    for step in Set(answer.edges.map(\.step)).sorted() {
      let edges = answer.edges.filter { $0.step == step }
      let (other, ended) = (answer.other.at(step - 1), answer.ended.at(step - 1))
      let all = edges.reduce(other) { $0 + $1.sessions }
      var rows = edges.map { edge -> [TemplateValues] in
        let share = Double(edge.sessions) / Double(max(all, 1))
        return [
          .head(text(edge.from.name), link: links(edge.from, form, app)?.forwards),
          .cell(text(edge.to.name), link: links(edge.to, form, app)?.forwards, style: "name"),
          .cell(grouped(edge.sessions), bar: ShareBar.svg(share)), .cell(percentage(share)),
        ]
      }
      if other > 0 { rows.append([.head("(other)"), .cell(""), .cell(grouped(other)), .cell("")]) }
      view.grids.append(
        .grid(
          isBackwards ? "\(step) before the end" : "Step \(step)",
          about: isBackwards
            ? "The sessions that went from one to the other \(counted(step, "step")) before the end."
            : "The sessions that went from one to the other at step \(step).",
          ["From", "To", "Sessions", "Share"], rows,
          note: ended > 0 ? "\(counted(ended, "session")) \(isBackwards ? "began" : "ended") here." : nil))
    }
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
      flow: flow, headings: headings, name: { text($0.name) }, links: { links($0, form, app) })
    return .init(
      heading: isBackwards ? "What led there" : "Where sessions went",
      about: "The thicker a band, the more sessions took that way. Choose a name to follow sessions from there, or its "
        + "arrow to see what led to it.", content: drawing.html())
  }

  private func links(_ node: PathsAnswer.Node, _ form: QuestionForm, _ app: App) -> PathDrawing.Links? {
    guard let name = node.name.text else { return nil }
    func link(_ anchor: String?) -> String {
      PortalLinks(app: app.id).question(
        .paths, form.query(["anchor": anchor, "k1": node.isScreen ? "screen" : "event", "n1": name]))
    }
    return PathDrawing.Links(forwards: link(nil), backwards: link("end"))
  }
}

extension Array<Int> {
  /// The element at an index, or 0 beyond the end.
  fileprivate func at(_ index: Int) -> Int { indices.contains(index) ? self[index] : 0 }
}
