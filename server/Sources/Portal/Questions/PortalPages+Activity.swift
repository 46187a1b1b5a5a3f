import Questions
import Reports
import Warehouse

extension PortalPages {
  func show(
    _ intervals: [LifecycleInterval], isOpen: Bool, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    guard intervals.contains(where: { $0.new + $0.returning + $0.resurrected > 0 }) else {
      view.calm = ("No users", "No one was active in this range. Choose a longer one.")
      return
    }
    func series(_ state: LifecycleFold.State, _ counts: [Int], color: Int) -> Chart.Series {
      let links = zip(intervals, counts).map { interval, count in
        count > 0 ? people(form, app, ["group": "lifecycle", "of": interval.interval, "state": state.rawValue]) : nil
      }
      return Chart.Series(
        name: state.rawValue.prefix(1).uppercased() + state.rawValue.dropFirst(), values: counts.map { Double($0) },
        color: color, links: links)
    }
    var dormant = series(.dormant, intervals.map(\.dormant), color: 2)
    if isOpen, !intervals.isEmpty {
      // Until an interval is over, everyone who has yet to come would count.
      dormant.values[intervals.count - 1] = nil
      dormant.links[intervals.count - 1] = nil
    }
    let chart = Chart(
      id: "lifecycle", title: "Users by state", slots: intervals.map { Chart.Slot($0.interval, form.unit) },
      series: [
        series(.new, intervals.map(\.new), color: 1), series(.returning, intervals.map(\.returning), color: 3),
        series(.resurrected, intervals.map(\.resurrected), color: 4),
        dormant,
      ], endsToday: isOpen, unit: form.unit.heading)
    let unit = form.unit.rawValue
    view.pictures = [
      .init(
        heading: "Users by state",
        about: "New users were seen for the first time, returning ones were also active the \(unit) before, "
          + "resurrected ones were away for at least a \(unit), and dormant ones were active the \(unit) before but "
          + "not in this one.", content: drawn(chart) + table(chart))
    ]
  }

  func show(stickiness persons: [Int], _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    let all = persons.reduce(0, +)
    guard all > 0 else { return }
    let unit = form.unit.rawValue
    let rows = persons.enumerated().filter { $0.element > 0 }.map { index, count -> [TemplateValues] in
      let part = Double(count) / Double(all)
      let link = people(form, app, ["group": "stickiness", "active": String(index + 1)])
      return [
        .head(counted(index + 1, unit)), .cell(grouped(count), link: link, bar: ShareBar.svg(part)),
        .cell(percentage(part)),
      ]
    }
    view.grids.append(
      .grid(
        "Users by the number of \(unit)s with activity",
        about: "In how many \(unit)s of the range users were active; the more there are further down, the more "
          + "regularly they come.", ["\(form.unit.heading)s active", "Users", "Share"], rows))
  }
}
