import Ingest
import Reports
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

@testable import Portal

/// One way to write dates, times, countries and identifiers.
struct FormatTests {
  @Test(arguments: [
    ("7D444840-9dc0-11d1-b245-5ffdce74fad2", "7D444840…"), ("7d444840-9dc0-11d1-b245-5ffdce74fad", nil),
    ("7d444840-9dc0-11d1-b245-5ffdce74fadx", nil), ("member-12", nil), ("", nil),
    ("--------------------------------1111", nil),
  ])
  func `a UUID is shortened, and nothing else is`(text: String, short: String?) {
    #expect(shortened(text) == short)
  }

  @Test(arguments: [
    ("BR", "Brazil"), ("DE", "Germany"), ("", "–"), ("br", "br"), ("Brazil", "Brazil"), ("\u{202E}", "\\u{202E}"),
  ])
  func `a country is shown by its name`(code: String, name: String) {
    #expect(countryName(code) == name)
  }

  @Test(arguments: [
    ("de", "German"), ("en-us", "English (United States)"), ("en-US", "English (United States)"), ("xx1", "xx1"),
    ("", "Unknown"), ("de-DE-x-y", "de-DE-x-y"),
  ])
  func `a language is shown by its name`(code: String, name: String) {
    #expect(Ranking.Codes.languages.name(of: code) == name)
  }

  @Test(arguments: [
    ("iPhone15,2", "iPhone 14 Pro"), ("iPad13,18", "iPad (10th generation)"), ("iPhone15", "iPhone15"),
    ("Pixel 8", "Pixel 8"), ("", "–"), ("iPhone99,1", "iPhone99,1"), ("\u{202E}", "\\u{202E}"),
  ])
  func `a model is shown by the name under which it is sold`(identifier: String, name: String) {
    #expect(modelName(identifier) == name)
  }

  @Test func `a model has one name, and names hold no identifiers`() {
    #expect(ModelNames.byIdentifier.count > 150)
    for (identifier, name) in ModelNames.byIdentifier {
      #expect(identifier.wholeMatch(of: /[A-Za-z]+[0-9]+,[0-9]+/) != nil && !name.contains(","), "\(identifier)")
    }
  }

  @Test func `times in lists are in UTC on pages of the server, and in the app's zone on its own`() throws {
    let app = try SamplePages("e").app
    #expect(listed(SamplePages.now) == "30 May 2026, 10:00 UTC")
    #expect(listed(SamplePages.now, of: app) == "30 May 2026, 12:00")
    #expect(listed(nil) == "Never")
  }

  @Test func `no page names a country by its code alone`() async throws {
    let sample = try SamplePages("e")
    let today = try sample.request("overview").today
    try sample.warehouse.add(.event, "e", on: today, install: 3, device: IncomingDevice(country: "BR"))
    for page in ["overview", "countries", "live"] {
      let text = PageScanner(try await sample.report(page)).text
      #expect(text.contains("Brazil") && !text.contains("BR"), "\(page)")
    }
  }

  @Test(arguments: [
    ("created", "Created."), ("name,timeZone", "Saved: name, time zone."), ("<i>", nil), ("", nil),
    ("name,<i>", "Saved: name."),
  ])
  func `what a form did is said in words of the page`(parameter: String, text: String?) {
    #expect(FormResult(outcome: parameter).done == text)
  }
}
