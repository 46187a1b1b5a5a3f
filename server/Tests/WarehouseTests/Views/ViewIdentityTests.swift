import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Views whose users are `uid`s.
@Suite struct ViewIdentityTests {
  private typealias Place = ViewMemoryTests.Place

  private func views(_ place: Place) throws -> (client: View, user: View, explicit: View) {
    func view(_ identity: ViewSettings.Identity) throws -> View {
      try place.catalog.createView(
        app: place.app.id, name: identity.rawValue, timeZone: "UTC", settings: ViewSettings(identity: identity))
    }
    return (try view(.client), try view(.user), try view(.explicitUser))
  }

  private func metrics(_ place: Place, _ view: View, _ date: String) async throws -> ViewMetrics {
    try await place.warehouse.reader.viewMetrics(
      view, days: day(date)...day(date), tables: [.screens], now: milliseconds("2025-01-01T00:00:00Z"))
  }

  @Test func `naming yesterday's campaign again does not divide a session`() async throws {
    let place = try Place()
    let views = try views(place)
    try await place.send("cid=1&t=screenview&cd=Day&cs=A&cm=m&cn=n", at: "2024-05-01T12:00:00Z")
    try await place.send("cid=1&t=screenview&cd=Anonymous", at: "2024-05-02T12:00:00Z")
    try await place.send("cid=1&uid=u&t=screenview&cd=Named&cs=A&cm=m&cn=n", at: "2024-05-02T12:01:00Z")
    for round in 1...2 {
      let client = try await metrics(place, views.client, "2024-05-02")
      let user = try await metrics(place, views.user, "2024-05-02")
      #expect(client.totals.sessions == 1 && client.totals.screenViews == 2)
      // The hit before the first one with a uid is the user's. Only the client's state shows that the campaign is not
      // new.
      #expect(user.totals.screenViews == 2 && user.users == 1)
      if round == 2 { break }
      try await place.warehouse.sealDays(
        of: [views.client, views.user], now: Timestamp(millisecondsSince1970: milliseconds("2024-05-04T12:00:00Z")))
      #expect(try await place.warehouse.reader.verify().isClean)
    }
    try await place.close()
  }

  @Test func `with unification, hits of a session before the first uid belong to its user`() async throws {
    let place = try Place()
    let views = try views(place)
    let day = "2024-05-01"
    try await place.send("cid=1&t=screenview&cd=Start", at: "\(day)T09:00:00Z")
    try await place.send("cid=1&t=screenview&cd=Login", at: "\(day)T12:00:00Z")
    try await place.send("cid=1&uid=u&t=screenview&cd=Home", at: "\(day)T12:01:00Z")
    try await place.send("cid=1&t=screenview&cd=Bye", at: "\(day)T12:02:00Z")
    try await place.send("cid=2&t=screenview&cd=Other", at: "\(day)T12:02:00Z")
    func screens(_ view: View) async throws -> Set<String> {
      Set((try await metrics(place, view, day).tables[.screens] ?? []).map { $0.key[0] })
    }
    #expect(try await screens(views.client) == ["Start", "Login", "Home", "Bye", "Other"])
    #expect(try await screens(views.user) == ["Login", "Home"])
    #expect(try await screens(views.explicit) == ["Home"])
    #expect(try await metrics(place, views.user, day).users == 1)
    try await place.close()
  }

  @Test func `a user on two devices is one user, and two users on one device are two`() async throws {
    let place = try Place()
    let views = try views(place)
    for (cid, uid, minute) in [("1", "a", "00"), ("2", "a", "05"), ("1", "b", "10"), ("3", "", "15")] {
      try await place.send("cid=\(cid)&uid=\(uid)&t=screenview&cd=A", at: "2024-05-01T12:\(minute):00Z")
    }
    let user = try await metrics(place, views.user, "2024-05-01")
    #expect(user.users == 2 && user.newUsers == 2 && user.totals.sessions == 2 && user.totals.hits == 3)
    let client = try await metrics(place, views.client, "2024-05-01")
    #expect(client.users == 3 && client.totals.sessions == 3)
    let hits = try await place.warehouse.reader.inspectedHits(
      views.user, days: day("2024-05-01")...day("2024-05-01"), limit: 10)
    #expect(hits.map(\.status) == ["anonymous", "counted", "counted", "counted"])
    #expect(Set(hits.dropFirst().map(\.install)).count == 2)
    try await place.close()
  }

  @Test func `a uid equal to a client's cid is a different user`() async throws {
    let place = try Place()
    let views = try views(place)
    try await place.send("cid=x&t=screenview&cd=A", at: "2024-05-01T12:00:00Z")
    try await place.send("cid=y&uid=x&t=screenview&cd=A", at: "2024-05-02T12:00:00Z")
    let user = try await metrics(place, views.user, "2024-05-02")
    #expect(user.users == 1 && user.newUsers == 1)
    #expect(try await metrics(place, views.user, "2024-05-01").users == 0)
    #expect(try await metrics(place, views.client, "2024-05-02").newUsers == 1)
    // Swift considers these two strings equal.
    try await place.send("cid=p&uid=%C3%A9&t=screenview&cd=A", at: "2024-05-03T12:00:00Z")
    try await place.send("cid=p&uid=e%CC%81&t=screenview&cd=A", at: "2024-05-03T12:00:01Z")
    #expect(try await metrics(place, views.explicit, "2024-05-03").users == 2)
    try await place.close()
  }

  @Test func `a user's campaign applies on another device, and days of users are sealed like others`() async throws {
    let place = try Place()
    let views = try views(place)
    try await place.send("cid=1&uid=u&t=screenview&cd=A&cs=news", at: "2024-05-01T12:00:00Z")
    try await place.seal([views.user, views.client], at: "2024-05-02T05:00:00Z")
    try await place.send("cid=2&uid=u&t=screenview&cd=A", at: "2024-05-02T12:00:00Z")
    #expect(try await place.rows(views.user, .acquisition, "2024-05-02") == [["news", "(not set)", "(not set)"]: [1]])
    #expect(
      try await place.rows(views.client, .acquisition, "2024-05-02") == [["(direct)", "(none)", "(not set)"]: [1]])
    #expect(try await metrics(place, views.user, "2024-05-02").newUsers == 0)
    try await place.seal([views.user, views.client], at: "2024-05-03T05:00:00Z")
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.close()
  }

  @Test func `a user has one number, even if a transaction fails and the cache is small`() async throws {
    struct Failure: Error {}
    let place = try Place()
    let views = try views(place)
    let app = place.app.id.rawValue
    try await place.send("cid=1&uid=a&t=screenview&cd=A", at: "2024-05-01T12:00:00Z")
    await #expect(throws: (any Error).self) {
      try await place.warehouse.perform { writer in
        try writer.transact {
          try writer.users.add("b", app: app)
          try writer.users.storeCounts()
          throw Failure()
        }
      }
    }
    for uid in ["c", "b", "a", "b"] {
      try await place.send("cid=1&uid=\(uid)&t=screenview&cd=A", at: "2024-05-01T12:00:00Z")
    }
    #expect(try await metrics(place, views.user, "2024-05-01").users == 3)
    try await place.warehouse.perform { writer in
      let members = try WriterUsers(writer.connection, limit: 1)
      try writer.transact {
        for name in ["a", "d", "b", "d", "c", "d"] { try members.add(name, app: app) }
        try members.storeCounts()
      }
      let numbers = try writer.connection.texts("SELECT name || number FROM member ORDER BY number")
      #expect(numbers == ["a0", "c1", "b2", "d3"])
    }
    try await place.close()
  }
}
