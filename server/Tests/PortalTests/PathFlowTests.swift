import Questions
import Testing

@testable import Portal

@Suite struct PathFlowTests {
  private func node(_ name: String) -> PathsAnswer.Node { .init(isScreen: true, name: .text(name)) }

  private func edge(_ step: Int, _ from: String, _ to: String, _ sessions: Int) -> PathsAnswer.Edge {
    .init(step: step, from: node(from), to: node(to), sessions: sessions)
  }

  private func names(_ flow: PathFlow) -> [[String]] {
    flow.columns.map { $0.map { $0.node?.name.text ?? "(other)" } }
  }

  @Test func `columns follow the steps, the largest places first`() {
    let answer = PathsAnswer(
      edges: [edge(1, "A", "B", 7), edge(1, "A", "C", 9), edge(2, "C", "A", 5)], other: [], ended: [])
    let flow = PathFlow(answer, isBackwards: false)
    #expect(names(flow) == [["A"], ["C", "B"], ["A"]])
    #expect(flow.columns.map { $0.map { flow.sessions($0) } } == [[16], [9, 7], [5]])
    #expect(flow.bands.map(\.sessions) == [9, 7, 5])
  }

  @Test func `steps that count from the end are drawn with the end last`() {
    let answer = PathsAnswer(edges: [edge(1, "B", "End", 7), edge(2, "A", "B", 3)], other: [], ended: [])
    #expect(names(PathFlow(answer, isBackwards: true)) == [["A"], ["B"], ["End"]])
  }

  @Test func `places beyond the largest, and sessions that the answer leaves out, are drawn together`() {
    let edges = (1...12).map { edge(1, "Start", "Place \($0)", $0) }
    let flow = PathFlow(PathsAnswer(edges: edges, other: [4], ended: []), isBackwards: false)
    #expect(flow.columns[1].count == PathFlow.maximumPlaces + 1)
    #expect(names(flow)[1].first == "Place 12" && names(flow)[1].last == "(other)")
    // Places 1 to 5, and the 4 sessions whose names are not in the answer.
    #expect(flow.sessions(.init(column: 1, node: nil)) == 15 + 4)
    #expect(flow.bands.reduce(0) { $0 + $1.sessions } == 78 + 4)
  }

  @Test func `each name leads to the paths from there on, and its arrow to those before`() async throws {
    let page = PageScanner(
      try await SamplePages("Home & more").question(
        .paths, ["days": "7", "anchor": "end", "k1": "screen", "n1": "X"]))
    let links = page.tags.filter { $0.name == "a" && ($0["class"] == "name" || $0["class"] == "back") }
    let name = "screen+Home+%26+more"
    #expect(
      links.compactMap { $0["href"] }.prefix(2) == [
        "/apps/1/paths?start=\(name)&amp;days=7", "/apps/1/paths?end=\(name)&amp;days=7",
      ])
    #expect(page.text.contains("Paths that lead to Home &amp; more"))
  }
}
