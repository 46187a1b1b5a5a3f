import Ingest
import Questions
import Reports
import ReportsTestSupport
import ServerBase
import Testing
import Warehouse

@testable import Portal

/// The page of an app's releases.
struct ReleasesPageTests {
  private let sample: SamplePages
  private let conversions = ["c1": "funnel s1=screen+Home&s2=event+Play", "c2": "event Purchase"]

  init() throws { sample = try SamplePages("e") }

  private func links(_ html: String) -> [String] {
    PageScanner(html).tags.compactMap { $0["href"]?.replacing("&amp;", with: "&") }
  }

  @Test func `the form asks for the conversions that the address names`() throws {
    let question = try QuestionPage.releases.question(conversions, segments: [])
    guard case .releases(let releases) = question else {
      Issue.record("no question")
      return
    }
    let funnel = FunnelQuestion(steps: [Selector(.screen("Home")), Selector(.event("Play"))])
    #expect(releases.conversions == [.funnel(funnel), .perUser(Selector(.event("Purchase")))])
    #expect(try QuestionPage.releases.question(["c1": "none"], segments: []) == .releases(ReleasesQuestion()))
  }

  @Test func `filters of a funnel's rows become those of its steps`() throws {
    let form = ["c1": "funnel s1=screen+Home&s2=event+Play&f1=country+is+DE"]
    guard case .releases(let releases) = try QuestionPage.releases.question(form, segments: []),
      case .funnel(let funnel) = releases.conversions.first
    else {
      Issue.record("no funnel")
      return
    }
    #expect(
      funnel.steps.allSatisfy { $0.filters == [.isOneOf(.country, [.text("DE")])] } && funnel.scope.filters.isEmpty)
  }

  @Test func `an address without conversions has the team's`() {
    let team = ["event Order"]
    #expect(QuestionPage.releases([:], conversions: team) == ["c1": "event Order"])
    #expect(QuestionPage.releases(["c2": "none"], conversions: team) == ["c2": "none"])
  }

  @Test func `conversions that are none, or name persons, are not kept`() throws {
    #expect(try QuestionPage.conversions(conversions, segments: []).count == 2)
    #expect(try QuestionPage.conversions(["c1": "none", "c2": "event A"], segments: []) == ["event A"])
    for text in ["x", "funnel s1=event+A", "funnel s1=event+A&s2=event+B&f1=user+is+ada"] {
      #expect(throws: QuestionError.self, "\(text)") { try QuestionPage.conversions(["c1": text], segments: []) }
    }
  }

  @Test func `differences that chance seldom makes are coloured, and figures of few users are marked`() async throws {
    let html = try await sample.question(.releases, conversions)
    // 8 instead of 2 of 400 users crashed, which chance may do; purchases fell from 2.25 to 1.25.
    #expect(html.contains("class=\"difference worse\">−1<span"))
    #expect(html.contains("40.0 % (few)"))
    #expect(html.contains("first 2 days, 1.9 (7)"))
    #expect(html.contains("class=\"bounds\""))
  }

  @Test func `a country, a device and a conversion are chosen by links, without typing`() async throws {
    let html = try await sample.question(.releases, ["c1": "event Purchase"])
    let found = links(html)
    #expect(found.contains { $0.contains("f1=country+is+e") && $0.contains("c1=event+Purchase") })
    #expect(found.contains { $0.contains("f1=model+is+e") })
    #expect(found.contains { $0.contains("c1=event+Purchase&c2=event+e") })
    #expect(found.contains { $0.contains("c1=none") })
  }

  @Test func `figures lead to users, to the funnel and to new errors`() async throws {
    let html = try await sample.question(.releases, conversions.merging(["f1": "country is DE"]) { $1 })
    let found = links(html)
    #expect(found.contains("/apps/1/people?f1=country+is+DE&f2=version+is+1.9+(7)"))
    #expect(found.contains("/apps/1/people?event=Purchase&f1=country+is+DE&f2=version+is+1.9+(7)"))
    #expect(found.contains("/apps/1/funnels?s1=screen+Home&s2=event+Play&f1=country+is+DE&f2=version+is+1.9+(7)"))
    #expect(found.contains { $0.hasPrefix("/apps/1/releases?") && $0.hasSuffix("#new-errors") })
  }

  @Test func `readers without rights keep nothing and see no users`() async throws {
    var reader = sample
    reader.reader = PortalReader(canEdit: false, seesPersonalData: false, isOwner: false)
    let html = try await reader.question(.releases, conversions)
    #expect(!html.contains("for everyone") && !html.contains("/people"))
    #expect(try await sample.question(.releases, conversions).contains("Keep these conversions for everyone"))
  }
}
