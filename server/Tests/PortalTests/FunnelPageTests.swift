import Ingest
import Questions
import Reports
import ReportsTestSupport
import ServerBase
import Testing
import Warehouse

@testable import Portal

/// Funnels by a value, and filters of their steps.
@Suite struct FunnelPageTests {
  private let sample: SamplePages
  private let parameters = ["n1": "A", "n2": "B", "f1": "country is DE"]

  init() throws { sample = try SamplePages("3.3.0") }

  private func funnel(_ breakdown: QuestionDimension?, _ step: FunnelBreakdownStep = .first) -> FunnelQuestion {
    FunnelQuestion(
      scope: QuestionScope(filters: [.isOneOf(.country, [.text("DE")])]),
      steps: [Selector(.event("A")), Selector(.event("B"))], breakdown: breakdown, breakdownStep: step)
  }

  private func funnels(_ more: [String: String]) async throws -> String {
    try await sample.question(.funnels, parameters.merging(more) { $1 })
  }

  @Test(arguments: FunnelBreakdownStep.allCases)
  func `a row's filter leads to the funnel of that row`(step: FunnelBreakdownStep) async throws {
    let page = try await funnels(["by": "version", "bystep": step.rawValue])
    let start = "/apps/1/funnels?"
    let states = PageScanner(page).tags.compactMap { $0["href"] }.filter { $0.hasPrefix(start) }
      .map { URLEncodedForm(String($0.dropFirst(start.count)).replacing("&amp;", with: "&")).values }
    let state = try #require(states.first { $0["f2"] == "\(step.rawValue):version is 3.3.0" })
    let expected = funnel(.version, step).requiring(.text("3.3.0"))
    #expect(try QuestionPage.funnels.question(state, segments: sample.segments) == .funnel(expected))
    let filtered = try await sample.question(.funnels, state)
    #expect(PageScanner(filtered).text.contains("version of \(step.words) is 3.3.0"))
  }

  @Test(arguments: FunnelBreakdownStep.allCases)
  func `the page names the step whose value counts, and says that rows may add up to more`(
    step: FunnelBreakdownStep
  ) async throws {
    let text = PageScanner(try await funnels(["by": "version", "bystep": step.rawValue])).text
    #expect(text.contains("Steps by version of \(step.words)") && text.contains("Rows may add up to more."))
    #expect(text.contains("Each row is this funnel with its value required of \(step.words)"))
  }

  @Test func `steps in any order have one value, which the page says`() async throws {
    let unordered = try await funnels(["by": "version", "order": "unordered"])
    #expect(PageScanner(unordered).text.contains("Steps by version of every step"))
    let refused = PageScanner(try await funnels(["by": "version", "order": "unordered", "bystep": "last"]))
    #expect(refused.tags.filter { $0["aria-invalid"] == "true" }.map { $0["name"] } == ["bystep"])
    #expect(refused.text.contains("have no first and no last step"))
  }

  @Test func `a mistake in a step's filter is told beside its field`() async throws {
    for filter in ["first:colour is red", "last:country gt 3"] {
      let page = PageScanner(try await funnels(["f2": filter]))
      #expect(page.tags.filter { $0["aria-invalid"] == "true" }.map { $0["name"] } == ["f2"], "\(filter)")
    }
  }

  @Test func `only funnels have filters of steps`() async throws {
    let page = PageScanner(try await sample.question(.explore, ["f1": "first:version is 3.3.0"]))
    #expect(page.tags.filter { $0["aria-invalid"] == "true" }.map { $0["name"] } == ["f1"])
    let links = PageScanner(try await funnels(["f2": "first:version is 3.3.0"])).tags.compactMap { $0["href"] }
    let others = links.filter { $0.contains("country+is+DE") && !$0.contains("/funnels") && !$0.contains("/people") }
    #expect(!others.isEmpty && others.allSatisfy { !$0.contains("first") })
  }
}
