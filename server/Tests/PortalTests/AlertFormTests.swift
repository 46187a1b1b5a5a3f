import Alerts
import Outgoing
import Questions
import Testing
import Warehouse

@testable import Portal

/// The sentence with which alerts are made.
@Suite struct AlertFormTests {
  private let posted = [
    "page": "explore", "metric": "events", "k0": "event", "n0": "Order", "f1": "country", "o1": "is", "v1": "Germany",
    "kind": "below", "limit": "10", "period": "hour", "to": "a@example.org", "tokind": "mail",
  ]

  @Test func `the builder's fields are the question, and the condition's own fields are none of it`() throws {
    let form = AlertForm(posted)
    let question = AlertQuestion(
      page: "explore", query: "metric=events&event=Order&f1=country+is+DE", period: .hour)
    #expect(try form.condition() == .below(10, question))
    #expect(form.name(try form.condition()) == "Events of Order, country is Germany below 10 per hour")
    let funnel = AlertForm([
      "page": "funnels", "k1": "event", "n1": "Cart", "k2": "event", "n2": "Order", "kind": "below", "limit": "20",
      "period": "day",
    ])
    #expect(
      try funnel.condition()
        == .below(20, AlertQuestion(page: "funnels", query: "s1=event+Cart&s2=event+Order", period: .day)))
    #expect(funnel.limitUnit == .percent)
  }

  @Test(arguments: [
    "metric=events&event=Order", "metric=users", "metric=crash_free_users&f1=version+is+2.0",
    "metric=sum&property=price", "metric=events&event=Order&per=events&perof=screen+Cart",
    "funnels?order=strict&s1=event+Cart&s2=event+Order", "metric=crashes&kind=crash&identity=user",
  ]) func `an address fills the form in, and its fields lead back to it`(address: String) throws {
    let form = AlertForm(["question": address, "kind": "above", "limit": "1"])
    #expect(form.question().address == address)
    var fields = ["page": form.figure.page.rawValue, "kind": "above", "limit": "1"]
    let shown = form.figure.page.definition.sentence(form.figure) + form.figure.page.definition.more(form.figure)
    for field in shown + [form.figure.identityField] { fields[field.name] = field.value }
    for (number, row) in form.figure.rows.enumerated() { fields["f\(number + 1)"] = row.text }
    #expect(AlertForm(fields).question().address == address)
  }

  @Test func `saving without a change keeps the stored question, and with it what the alert remembers`() throws {
    let stored = AlertCondition.below(
      10, AlertQuestion(page: "explore", query: "metric=events&event=Order&days=30", period: .day))
    let alert = Alert(app: AppID(1), name: "Orders", condition: stored, destinations: [])
    var fields = AlertForm(alert).fields
    fields["question"] = nil
    fields.merge(["page": "explore", "metric": "events", "k0": "event", "n0": "Order"]) { $1 }
    #expect(try AlertForm(fields).condition(replacing: stored) == stored)
    fields["n0"] = "Refund"
    #expect(
      try AlertForm(fields).condition(replacing: stored).question?.query == "metric=events&event=Refund")
  }

  @Test func `crash-free users of everyone are watched with a minimum of users`() throws {
    let fields = ["page": "explore", "metric": "crash_free_users", "kind": "below", "limit": "99", "period": "day"]
    #expect(try AlertForm(fields).condition() == .crashFreeUsersBelow(percent: 99, .day))
    let filtered = try AlertForm(fields.merging(["f1": "country", "v1": "DE"]) { $1 }).condition()
    #expect(filtered.question?.query == "metric=crash_free_users&f1=country+is+DE" && filtered.standardMinimum == 0)
    #expect(AlertForm(["question": "metric=crash_free_users"]).kind == .below)
    let alert = Alert(app: AppID(1), name: "", condition: .crashFreeUsersBelow(percent: 99, .day), destinations: [])
    #expect(try AlertForm(alert).condition(replacing: alert.condition) == alert.condition)
    #expect(try AlertForm(["kind": "crash_free", "limit": "99", "question": "metric=users"]).condition().limit == 99)
  }

  @Test func `destinations are those that are checked, and a new one of the chosen kind`() throws {
    let hook = try Destination("slack:https://hooks.example.org/T0/secret")
    let (first, second) = (try Destination("chat:https://a.example/1"), try Destination("chat:https://a.example/2"))
    let destinations = AlertDestinations([hook, try Destination("mail:b@example.org"), hook, first, second])
    #expect(destinations.choices == [hook.shown, "mail:b@example.org", first.shown])
    #expect(destinations.choices.allSatisfy { !$0.contains("secret") })
    let form = AlertForm(["d1": hook.shown, "to": "a@example.org", "tokind": "mail"])
    #expect(try destinations.chosen(form) == [hook, try Destination("mail:a@example.org")])
    let teams = AlertForm(["to": "https://example.org/x", "tokind": "teams"])
    #expect(try destinations.chosen(teams) == [try Destination("teams:https://example.org/x")])
    // Once, however often it is named.
    #expect(try destinations.chosen(AlertForm(["d1": hook.shown, "d2": hook.shown, "to": hook.text])) == [hook])
    // It isn't clear which of two is meant, unless the alert has them.
    let alike = AlertForm(["d1": first.shown])
    #expect(throws: OutgoingError.self) { try destinations.chosen(alike) }
    #expect(try destinations.chosen(alike, replacing: [second]) == [second])
    for wrong in ["nobody", "https://example.org/…"] {
      #expect(throws: OutgoingError.self) { try destinations.chosen(AlertForm(["to": wrong])) }
    }
  }
}
