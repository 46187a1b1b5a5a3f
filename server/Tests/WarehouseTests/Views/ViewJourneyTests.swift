import Ingest
import ServerBase
import TernBase
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The reports of a view's day on the paths of sessions.
@Suite struct ViewJourneyTests {
  private func hit(_ offset: Int64, _ parameters: [String: String], slot: UInt32 = 1) -> ViewHit {
    ViewHit(
      id: 0, time: 1_715_680_000_000 + offset, received: 1_715_680_000_000 + offset, slot: slot, user: "",
      device: IncomingDevice(), parameters: parameters)
  }

  private func screen(_ offset: Int64, _ name: String, slot: UInt32 = 1, more: [String: String] = [:]) -> ViewHit {
    hit(offset, more.merging(["t": "screenview", "cd": name]) { $1 }, slot: slot)
  }

  private func event(_ offset: Int64, _ action: String, slot: UInt32 = 1, more: [String: String] = [:]) -> ViewHit {
    hit(offset, more.merging(["t": "event", "ec": "c", "ea": action]) { $1 }, slot: slot)
  }

  private func rows(_ table: ViewTable, _ hits: [ViewHit]) -> [[String]: [SaturatingInt64]] {
    (ViewDayBuilder.day(of: hits) { _ in 0 }.tables[table] ?? [:]).mapValues(\.numbers)
  }

  @Test func `a session begins on its first screen and exits from its last`() {
    let hits = [
      event(0, "open"), screen(1, "A"), screen(1_001, "B"), screen(2_001, "A"), screen(0, "A", slot: 2),
      event(0, "open", slot: 3),
    ]
    #expect(rows(.landings, hits) == [["A"]: [2, 1, 2_001, 4]])
    #expect(rows(.exits, hits) == [["A"]: [2]])
    #expect(rows(.depths, hits) == [["00"]: [1, 0], ["01"]: [1, 0], ["03"]: [1, 2_001]])
  }

  @Test(arguments: [(19, "19"), (20, "20+"), (45, "20+")])
  func `sessions with twenty or more screens are counted together`(views: Int, key: String) {
    #expect(rows(.depths, (0..<views).map { screen(Int64($0), "S") }).keys.map { $0 } == [[key]])
  }

  @Test func `the flow leads from step to step and ends with an exit`() {
    let hits = [
      screen(0, "A"), screen(1, "A"), event(2, "go"), screen(3, "B"), screen(0, "A", slot: 2), screen(1, "B", slot: 2),
    ]
    #expect(
      rows(.flow, hits) == [
        ["01", "screen", "A", "event", "c: go"]: [1], ["02", "event", "c: go", "screen", "B"]: [1],
        ["03", "screen", "B", "exit", "(exit)"]: [1], ["01", "screen", "A", "screen", "B"]: [1],
        ["02", "screen", "B", "exit", "(exit)"]: [1],
      ])
  }

  @Test func `the flow follows ten steps, and the tenth shows if there was another`() {
    let eleven = rows(.flow, (0..<14).map { screen(Int64($0), "S\($0)") })
    #expect(eleven.count == 10 && eleven[["10", "screen", "S9", "screen", "S10"]] == [1])
    let ten = rows(.flow, (0..<10).map { screen(Int64($0), "S\($0)") })
    #expect(ten.count == 10 && ten[["10", "screen", "S9", "exit", "(exit)"]] == [1])
  }

  @Test func `paths beyond the limit of a step are counted together, with exits kept apart`() {
    let hits = (0..<402).flatMap { user in
      [screen(0, "S\(user)", slot: UInt32(user)), screen(1, "T", slot: UInt32(user))]
    }
    let flow = rows(.flow, hits + [screen(0, "alone", slot: 9_999)])
    #expect(flow[["01", "other", "(other)", "other", "(other)"]] == [2])
    #expect(flow[["01", "other", "(other)", "exit", "(exit)"]] == [1])
    #expect(flow[["02", "screen", "T", "exit", "(exit)"]] == [402])
  }

  @Test func `an event belongs to the screen that it names, or to the last one seen`() {
    let hits = [
      event(0, "a"), screen(1, "Home"), event(2, "a", more: ["ev": "2"]), event(3, "a", more: ["ev": "3"]),
      event(4, "a", more: ["cd": "Other"]),
    ]
    #expect(
      rows(.eventScreens, hits) == [
        ["(not set)", "c", "a"]: [1, 1, 0], ["Home", "c", "a"]: [2, 1, 5], ["Other", "c", "a"]: [1, 1, 0],
      ])
    #expect(rows(.eventSessions, hits + [screen(0, "A", slot: 2)]) == [["all"]: [4, 1]])
  }

  @Test func `exceptions have the number of users and sessions affected`() {
    let crash = ["t": "exception", "exd": "E", "av": "2"]
    let hits = [
      hit(0, crash), hit(1, crash), hit(0, crash.merging(["exf": "0"]) { $1 }, slot: 2),
      screen(0, "A", slot: 3, more: ["av": "2", "an": "App"]),
    ]
    let day = ViewDayBuilder.day(of: hits) { _ in 0 }
    #expect(day.tables[.exceptionSessions]?[["exception"]]?.numbers == [3, 2])
    #expect(day.tables[.exceptionSessions]?[["exception"]]?.users.elements == [1, 2])
    #expect(day.tables[.exceptionSessions]?[["crash"]]?.numbers == [2, 1])
    #expect(day.tables[.exceptionVersions]?.mapValues(\.numbers) == [["2"]: [3, 2]])
    #expect(day.tables[.screenVersions]?.mapValues(\.numbers) == [["A", "App", "2"]: [1, 1]])
  }

  @Test func `sessions are broken down by application and installer`() {
    let day = rows(.applications, [screen(0, "A", more: ["aid": "com.example"]), event(1, "x")])
    #expect(day == [["com.example", "(not set)"]: [1, 1, 0]])
  }
}
