import Foundation
import Questions
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import Outgoing

/// What messages say, and where they lead.
@Suite struct AlertMessageTests {
  private let crashFree = AlertQuestion(page: "explore", query: "metric=crash_free_users&days=30", period: .day)
  private let orders = AlertQuestion(page: "explore", query: "metric=events&event=Order", period: .hour)
  /// 27 November 2026.
  private let day = 20_784

  private func figure(
    _ value: Double, of name: String = "Crash-free users", before: Double? = 99.31, number: Int? = nil,
    label: String = "2026-11-27"
  ) -> PeriodFigure {
    var figure = PeriodFigure(
      number: number ?? day, label: label, value: value, before: before, users: 321, usersBefore: 300, isCount: false)
    figure.name = name
    return figure
  }

  private func message(
    _ event: AlertEvent, _ condition: AlertCondition, name: String = "Stability", crashes: [CrashNotice] = [],
    context: FigureContext = FigureContext()
  ) throws -> OutgoingMessage {
    var alert = try alert(condition)
    alert.name = name
    return AlertMessage.make(
      event, of: alert, app: "Radio", crashes: crashes, context: context, id: UniqueID(high: 1, low: 2), at: time(0),
      portal: "https://tern.example.org")
  }

  private func json(_ message: OutgoingMessage) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
  }

  @Test func `a problem of the server comes with its reason`() throws {
    let reason = "/backups can't be written: No space left on device."
    let message = try message(
      .problem(ProblemNotice(summary: "The last backup failed.", detail: reason)), .serverProblem)
    #expect(message.title.hasSuffix("The last backup failed."))
    #expect(message.text == "The last backup failed. \(reason)")
    #expect(message.plainText.contains(reason))
  }

  @Test func `a breach names the figure, the limit, the day, the app and the crashes, and leads to that day`() throws {
    let value = FigureUnit.percent.figure(1 - 12.0 / 321)
    let message = try message(
      .breached(figure(value)), .crashFreeUsersBelow(percent: 99, .day),
      crashes: [
        CrashNotice(type: "SIGSEGV", place: "Player.play", users: 9),
        CrashNotice(type: "OutOfRange", place: "", users: 1),
      ])
    #expect(message.title == "Radio: Stability – 96.26 % on 27 November")
    #expect(message.text == "Crash-free users: 96.26 % on 27 November, below the limit of 99 %.")
    #expect(
      message.plainText == """
        Crash-free users: 96.26 % on 27 November, below the limit of 99 %.

        Alert: Stability
        App: Radio
        Period: 2026-11-27
        Crash-free users: 96.26 %
        Limit: 99 %
        The day before: 99.31 %
        Users: 321
        Crash 1: SIGSEGV in Player.play, 9 users
        Crash 2: OutOfRange, 1 user
        The alert is: raised
        Condition: crash-free users below 99 % per day

        https://tern.example.org/apps/1/explore?metric=crash_free_users&from=2026-11-27&to=2026-11-27
        """)
    let facts = try #require(try json(message)["facts"] as? [String: Any])
    #expect(
      facts["value"] as? Double == value && facts["limit"] as? Double == 99 && facts["before"] as? Double == 99.31)
    #expect(facts["period"] as? String == "2026-11-27" && facts["status"] as? String == "raised")
    #expect(facts["crash1"] as? String == "SIGSEGV in Player.play, 9 users" && facts["crash3"] == nil)
  }

  @Test func `a breach says what is usual, and which release began in the week before`() throws {
    var context = FigureContext()
    context.usual = 99.1...99.7
    context.release = .init(version: "3.3.0\n", day: Day(number: day - 1))
    let message = try message(.breached(figure(96)), .crashFreeUsersBelow(percent: 99, .day), context: context)
    #expect(message.plainText.contains("\nUsual in the 28 days before: 99.1 % to 99.7 %\n"))
    #expect(message.plainText.contains("\nRelease before it: 3.3.0, which began on 26 November\n"))
  }

  @Test func `the usual range is that of most figures of the weeks before, for hours at the same time of day`() {
    func figures(_ values: [Int: Double?]) -> [PeriodFigure] {
      values.map { number, value in
        PeriodFigure(
          number: number, label: "", value: value, before: nil, users: 0, usersBefore: 0, isCount: false)
      }
    }
    let one = figures([100: 1])[0]
    let days = figures(Dictionary(uniqueKeysWithValues: (60..<110).map { ($0, Double($0)) }))
    #expect(FigureContext.usual(days, before: one, per: .day) == 74...97)
    #expect(FigureContext.usual(figures([94: 1, 95: 1, 96: 1, 97: 1, 98: 1, 99: 1]), before: one, per: .day) == nil)
    let hours = figures(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0 % 24 == 16 ? 7 : 100) }))
    #expect(FigureContext.usual(hours, before: figures([1_000: 1])[0], per: .hour) == 7...7)
  }

  @Test func `a recovery says that it is over, and on which side of the limit the figure is`() throws {
    let message = try message(.recovered(figure(99)), .below(99, crashFree))
    #expect(message.event == "alert.recovered" && message.title == "Radio: Stability – over: 99 % on 27 November")
    #expect(message.text == "It is over. Crash-free users: 99 % on 27 November, not below the limit of 99 %.")
  }

  @Test(arguments: [
    (true, true, "alert.breached", "raised", ""),
    (true, false, "alert.corrected", "quiet", " The last day is inside the limit."),
    (false, false, "alert.taken_back", "quiet", ""),
    (false, true, "alert.corrected", "raised", " The last day is still outside the limit."),
  ])
  func `a correction says what late data has changed, and whether the alert is raised`(
    isOutside: Bool, isRaised: Bool, event: String, status: String, end: String
  ) throws {
    let message = try message(
      .corrected(figure(isOutside ? 96.26 : 99.5), isOutside: isOutside, isRaised: isRaised), .below(99, crashFree))
    let words = isOutside ? "96.26 % on 27 November, below" : "99.5 % on 27 November, not below"
    #expect(message.event == event)
    #expect(
      message.text
        == "Data that arrived late has changed this figure. Crash-free users: \(words) the limit of 99 %.\(end)")
    #expect(message.title.hasPrefix("Radio: Stability – \(isOutside ? "late data" : "taken back"): "))
    #expect(message.facts.first { $0.name == "status" }?.text == status)
  }

  @Test func `other figures have their own words and units`() throws {
    let number = day * 24 + 23
    let hourly = try message(
      .breached(figure(3, of: "Events of Order", number: number, label: "2026-11-27T23:00")), .below(10, orders))
    #expect(hourly.text == "Events of Order: 3 from 23:00 to 24:00 on 27 November, below the limit of 10.")
    #expect(
      hourly.link
        == "https://tern.example.org/apps/1/explore?metric=events&event=Order&interval=hour&from=2026-11-27&to=2026-11-27"
    )
    let users = AlertQuestion(page: "explore", query: "metric=users&from=2026-01-01&to=2026-02-01&f1=a", period: .day)
    let changed = try message(.breached(figure(50, of: "Users", before: 100)), .changed(byPercent: 30, users))
    #expect(
      changed.text
        == "Users: 50 on 27 November, after 100 the day before: a change of 50 %, more than the limit of 30 %.")
    #expect(changed.link == "https://tern.example.org/apps/1/explore?metric=users&f1=a&from=2026-11-27&to=2026-11-27")
    #expect(
      try message(.recovered(figure(90, of: "Users", before: 100)), .changed(byPercent: 30, users)).text
        == "It is over. Users: 90 on 27 November, after 100 the day before: a change of 10 %, not more than the limit of 30 %."
    )
    let duration = AlertQuestion(page: "explore", query: "metric=session_duration_avg", period: .day)
    let long = try message(.breached(figure(245, of: "Average session", before: 90_000)), .above(120, duration))
    #expect(long.title == "Radio: Stability – 4 min 5 s on 27 November")
    #expect(long.text == "Average session: 4 min 5 s on 27 November, above the limit of 2 min.")
    for line in [
      "Average session: 4 min 5 s", "Limit: 2 min", "The day before: 1 d 1 h",
      "Note: Session durations: Pauses of 30 minutes and more are left out.",
    ] {
      #expect(long.plainText.split(separator: "\n").contains(Substring(line)), "\(line)")
    }
    let facts = try #require(try json(long)["facts"] as? [String: Any])
    #expect(facts["value"] as? Double == 245 && facts["limit"] as? Double == 120, "programs get seconds")
    let funnel = AlertQuestion(page: "funnels", query: "s1=any&s2=event+a&days=90", period: .day)
    let conversion = try message(.breached(figure(20.001, of: "Conversion of the funnel")), .above(20, funnel))
    // 20 % would read as if it were not above.
    #expect(conversion.text == "Conversion of the funnel: 20.001 % on 27 November, above the limit of 20 %.")
    #expect(
      conversion.link == "https://tern.example.org/apps/1/funnels?s1=any&s2=event+a&from=2026-11-27&to=2026-11-27")
  }

  @Test func `names from clients are bounded, and escaped for each destination`() throws {
    let hostile = "<img src=x>\n<!channel> @all [a](https://b) \u{202E}" + String(repeating: "e\u{301}", count: 5_000)
    let message = try message(
      .breached(figure(90, of: hostile)), .crashFreeUsersBelow(percent: 99, .day), name: "A & <b>",
      crashes: (0..<5).map { CrashNotice(type: hostile, place: hostile, users: $0) })
    let crashes = message.facts.filter { $0.name.hasPrefix("crash") }
    #expect(crashes.map(\.name) == ["crash1", "crash2", "crash3"])
    for text in crashes.map(\.text) + [message.text, message.title] {
      #expect(text.utf8.count < 700 && !text.contains("\n") && !text.unicodeScalars.contains("\u{202E}"))
    }
    let mail = MailMessage(
      message: message, from: try #require(MailAddress("tern@example.org")),
      to: try #require(MailAddress("a@b.example")))
    let html = mail.html([])
    #expect(
      html.contains("&lt;img src=x&gt; &lt;!channel&gt;") && !html.contains("<img") && !html.contains("<!channel"))
    let chat = String(decoding: message.chatJSON, as: UTF8.self)
    #expect(chat.contains("&lt;!channel&gt;") && !chat.contains("<!channel") && !chat.contains("@all"))
    let facts = try #require(try json(message)["facts"] as? [String: Any])
    #expect((facts["crash1"] as? String)?.hasPrefix("<img src=x> <!channel> @all") == true)
  }
}
