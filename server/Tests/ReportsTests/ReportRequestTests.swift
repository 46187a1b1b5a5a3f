import Reports
import ServerBase
import TernEvents
import Testing
import Warehouse

struct ReportRequestTests {
  /// 2026-05-30 22:30 UTC: already the 31st in Berlin, still the 30th in New York.
  static let now = Timestamp(millisecondsSince1970: 1_780_180_200_000)

  private func request(
    _ name: String = "overview", _ parameters: [String: String] = [:], zone: String = "UTC"
  ) throws(ReportError) -> ReportRequest {
    try ReportRequest(name, of: .app(AppID(1), zone: ZoneRules(zone)!), parameters: parameters, now: Self.now)
  }

  private func failure(_ name: String = "overview", _ parameters: [String: String], zone: String = "UTC")
    -> ReportError?
  {
    do {
      _ = try request(name, parameters, zone: zone)
      return nil
    } catch { return error }
  }

  @Test(arguments: [("UTC", "2026-05-30"), ("Europe/Berlin", "2026-05-31"), ("America/New_York", "2026-05-30")])
  func `the default range is the thirty days up to today in the app's zone`(zone: String, today: String) throws {
    let request = try request(zone: zone)
    #expect(request.days.upperBound == Day(today))
    #expect(request.today == Day(today))
    #expect(request.length == 30)
    #expect(request.includesToday)
  }

  @Test func `a range of any number of days up to the maximum has that many days`() throws {
    for days in 1...ReportRequest.maximumDays {
      let request = try request("overview", ["days": String(days), "to": "2024-03-01"])
      #expect(request.length == days)
      #expect(request.days.upperBound == Day("2024-03-01"))
    }
  }

  @Test func `from and to bound the range, both included`() throws {
    let request = try request("events", ["from": "2024-02-28", "to": "2024-03-01"])
    #expect(request.days.map(\.description) == ["2024-02-28", "2024-02-29", "2024-03-01"])
    #expect(!request.includesToday)
  }

  @Test func `empty and unknown parameters are ignored`() throws {
    let plain = try request()
    #expect(try request("overview", ["from": "", "to": "", "limit": "", "days": "", "colour": "red"]) == plain)
  }

  @Test func `an unknown report is an error that lists the reports`() {
    let error = failure("overviews", [:])
    #expect(error?.code == .unknownReport)
    for report in ReportRegistry.standard.app { #expect(error?.message.contains(report.name) == true) }
  }

  @Test(arguments: ["2026-02-29", "2026-13-01", "yesterday", "2026-5-1", "20260501", " 2026-05-01", "2026-05-01T00:00"])
  func `an invalid date is rejected`(text: String) {
    for name in ["from", "to"] { #expect(failure("overview", [name: text])?.code == .invalidDate) }
  }

  @Test func `a reversed range is rejected, a range of one day is not`() throws {
    #expect(failure("overview", ["from": "2026-05-02", "to": "2026-05-01"])?.code == .invalidRange)
    #expect(failure("overview", ["from": "2027-01-01"])?.code == .invalidRange, "it starts after today")
    #expect(try request("overview", ["from": "2026-05-02", "to": "2026-05-02"]).length == 1)
  }

  @Test func `a range of 731 days is possible, one of 732 is not`() throws {
    #expect(try request("overview", ["from": "2024-01-01", "to": "2025-12-31"]).length == 731)
    #expect(failure("overview", ["from": "2024-01-01", "to": "2026-01-01"])?.code == .invalidRange)
    #expect(failure("overview", ["from": "0001-01-01", "to": "9999-12-31"])?.code == .invalidRange)
  }

  @Test(arguments: ["0", "-1", "10001", "many", "1.5", "99999999999999999999"])
  func `a limit or a number of days out of bounds is rejected`(text: String) {
    #expect(failure("events", ["limit": text])?.code == .invalidNumber)
    #expect(failure("events", ["days": text])?.code == .invalidNumber)
  }

  @Test func `the event report needs an event, whose name may be empty`() throws {
    #expect(failure("event", [:])?.code == .missingEvent)
    #expect(try request("event", ["event": ""])[.event] == "")
    #expect(try request("event", ["event": "a=b&c"])[.event] == "a=b&c")
    #expect(try request("overview", ["event": "ignored"])[.event] == nil)
  }

  @Test(arguments: ["0", "-1", "x", "99999999999999999999"])
  func `the error report needs a group or an occurrence, by their numbers`(text: String) throws {
    #expect(failure("error", [:])?.code == .missingError)
    #expect(failure("error", ["group": ""])?.code == .missingError)
    #expect(failure("error", ["group": text])?.code == .invalidNumber)
    #expect(failure("error", ["occurrence": text])?.code == .invalidNumber)
    #expect(try request("error", ["group": "007"])[.group] == "7")
  }

  @Test func `messages quote input with control characters escaped`() {
    let error = failure("overview", ["from": "\u{1B}[2J\u{202E}x"])
    #expect(error?.message == #""\u{1B}[2J\u{202E}x" is not a valid date for from. Write it as YYYY-MM-DD."#)
  }

  @Test func `the time of day follows daylight saving`() throws {
    let zone = ReportZone(ZoneRules("Europe/Berlin")!)
    // 2026-03-29 01:00 UTC is when 02:00 becomes 03:00.
    let change = Timestamp(millisecondsSince1970: 1_774_746_000_000)
    #expect(zone.timeOfDay(of: change - .seconds(1)) == "01:59:59")
    #expect(zone.timeOfDay(of: change) == "03:00:00")
    #expect(zone.day(of: Timestamp(millisecondsSince1970: -1)).description == "1970-01-01")
  }
}
