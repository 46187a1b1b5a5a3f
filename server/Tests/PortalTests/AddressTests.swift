import Questions
import Reports
import ServerBase
import Testing
import Warehouse

@testable import Portal

/// Addresses of pages: short and readable, from the fields of their forms.
struct AddressTests {
  private func query(_ page: QuestionPage, _ fields: String) -> String {
    QuestionForm(page, URLEncodedForm(fields).values, segments: []).query()
  }

  @Test(arguments: [
    (
      QuestionPage.explore, "days=90&metric=sum&property=Total&k0=event&n0=Purchase&by=property%3APlan",
      "metric=sum&property=Total&event=Purchase&by=property:Plan&days=90"
    ),
    (.explore, "metric=users&k0=crash&interval=hour&identity=user", "kind=crash&interval=hour&identity=user"),
    (
      .explore, "by=version&f1=country&o1=is_not&v1=DE&f2=property%3ALength&o2=gt&v2=10&f4=user&o4=set&v4=",
      "by=version&f1=country+is_not+DE&f2=property:Length+gt+10&f3=user+set"
    ),
    (
      .funnels, "days=30&window=1h&k1=session_start&k2=screen&n2=Player&n3=Purchase&compare=before",
      "window=1h&compare=before&s1=session_start&s2=screen+Player&s3=event+Purchase"
    ),
    (.retention, "k1=any&k2=event&n2=Play&interval=week&days=month", "return=event+Play&days=month"),
    (.paths, "anchor=end&k1=screen&n1=Home&depth=5", "end=screen+Home"),
    (.paths, "anchor=start&k1=&n1=", ""),
    (
      .people, "group=path&step=2&k1=screen&n1=A&k2=event&n2=B&k3=screen&n3=C",
      "start=screen+A&group=path&step=2&pathfrom=event+B&pathto=screen+C"
    ),
    (.people, "by=user&group=figure&type=text&value=ann", "by=user&group=figure&type=text&value=ann"),
    (.lifecycle, "days=1&from=&to=", "days=1"),
  ])
  func `the fields of a form become a short address, which stays the same`(
    page: QuestionPage, fields: String, short: String
  ) {
    #expect(query(page, fields) == short)
    #expect(query(page, short) == short)
  }

  @Test func `a preset in a form wins over the dates beside it, unless dates are chosen`() {
    #expect(query(.explore, "apply=1&days=7&from=2026-05-01&to=2026-05-02") == "days=7")
    #expect(query(.explore, "days=dates&from=2026-05-01&to=2026-05-02") == "from=2026-05-01&to=2026-05-02")
  }

  @Test func `filters as JSON are read, and written one by one`() throws {
    let sample = try SamplePages("e")
    let json = #"[["is","country",["DE"]],["gt","property:Length",10]]"#
    let links = PortalLinks(try sample.request("overview", ["filters": json, "days": "7"]))
    let short = "/apps/1/events?days=7&f1=country+is+DE&f2=property:Length+gt+10"
    #expect(links.page(AppReports.events) == short)
    let merged = ReportFilter.merged(["f1": "country is DE", "f2": "property:Length", "o2": "gt", "v2": "10"])
    #expect(merged["filters"] == json)
  }

  @Test func `pages of questions and reports lead to each other with days, filters and comparison`() async throws {
    let sample = try SamplePages("e")
    let state = "days=7&amp;f1=country+is+DE&amp;segment=1&amp;compare=before"
    let explore = try await sample.question(
      .explore, ["days": "7", "f1": "country is DE", "segment": "1", "compare": "before"])
    let overview = try await sample.report(
      "overview", ["days": "7", "filters": #"[["is","country",["DE"]]]"#, "segment": "1", "compare": "before"])
    for (page, target) in [(overview, "/apps/1"), (explore, "/apps/1/events"), (overview, "/apps/1/explore")] {
      let links = Set(PageScanner(page).tags.compactMap { $0["href"] })
      for address in [target, "/apps/1/funnels"] { #expect(links.contains("\(address)?\(state)"), "\(address)") }
    }
    // The overview is a tab beside the releases, which compare with nothing else.
    let first = "/apps/1/releases?days=7&amp;f1=country+is+DE&amp;segment=1"
    #expect(PageScanner(explore).tags.contains { $0["href"] == first })
    // People are a tab beside the other pages of the audience.
    let audience = try await sample.report(
      "versions", ["days": "7", "filters": #"[["is","country",["DE"]]]"#, "segment": "1", "compare": "before"])
    let links = PageScanner(audience).tags.compactMap { $0["href"] }
    #expect(links.contains("/apps/1/people?days=7&amp;f1=country+is+DE&amp;segment=1"))
  }

  @Test func `no page has JSON or doubly encoded text in an address`() async throws {
    let sample = try SamplePages("e")
    let parameters = ["days": "7", "f1": "country is DE", "by": "version"]
    var pages = [
      try await sample.report("overview", ReportFilter.merged(parameters)),
      try await sample.report("event", ReportFilter.merged(parameters)),
    ]
    for page in QuestionPage.allCases { pages.append(try await sample.question(page, parameters)) }
    for page in pages {
      for tag in PageScanner(page).tags {
        guard let address = tag["href"] ?? tag["action"], !address.hasPrefix("/api/"), !address.contains("/links?")
        else {
          continue
        }
        #expect(!address.contains("%5B") && !address.contains("%25"), "\(address)")
      }
    }
  }

  @Test func `a segment's filters are the same again from its form, and those without fields are kept`() throws {
    let filters =
      #"[["is","country",["DE"]],["is","country",["DE","FR"]],["has_done",{"screen":"Home"},{"at_least":2,"days":7}],"#
      + #"["has_not_done",{"any":true}],["has_done",{"event":"A","filters":[["set","user"]]},{"at_least":1}]]"#
    let segment = SavedSegment(
      id: 1, app: AppID(1), name: "S", filters: filters, author: "", changed: SamplePages.now)
    let form = SegmentForm(segment)
    #expect(form.rows.count == 1 && form.conditions.count == 2 && form.others.count == 2)
    #expect(try Set(SegmentFilters.checked(form.filters).json) == Set(SegmentFilters.checked(Array(filters.utf8)).json))
    var fields = [
      "f1": "country is DE", "keep2": "1", "h1": "has_done", "k1": "screen", "n1": "Home", "c1": "2", "d1": "7",
    ]
    let sent = SegmentForm(fields, changing: segment)
    #expect(sent.rows == form.rows && sent.conditions == Array(form.conditions.prefix(1)))
    #expect(sent.others == Array(form.others.suffix(1)) && sent.fault == nil)
    fields["c1"] = "often"
    #expect(SegmentForm(fields).fault != nil)
  }

  @Test func `a click on a value replaces another value of its dimension`() throws {
    let filters = FilterRows([FilterRow("country", value: "DE"), FilterRow("version", value: "1.0")])
    let other = FilterRow("country", value: "FR")
    #expect(filters.adding(other)?.rows == [FilterRow("version", value: "1.0"), other])
    #expect(filters.adding(FilterRow("version", value: "1.0")) == nil)
    #expect(FilterRow("model", value: "").text == "model not_set")
  }
}
