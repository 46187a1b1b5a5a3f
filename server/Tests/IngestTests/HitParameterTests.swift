import Foundation
import TernEvents
import Testing

@testable import Ingest

/// Tests the parameters of the Measurement Protocol: types, limits, and which ones are kept.
@Suite struct HitParameterTests {
  private let base = "v=1&tid=UA-1-2&cid=1&z=5&t=event&ec=a&ea=b"

  private func kept(_ more: String) throws -> [String: String] {
    let batch = try #require(collect(base + more).first?.batch)
    let hit = try #require(batch.hits.first)
    #expect(hit.event == 0)
    return Dictionary(uniqueKeysWithValues: hit.parameters.map { ($0.name, $0.value) })
  }

  @Test func `the hit's parameters are kept with its event, except for those in the row`() throws {
    #expect(
      try kept("&cd=Home&cd1=x&_s=7&qt=12&odd=1") == [
        "t": "event", "ec": "a", "ea": "b", "cd": "Home", "cd1": "x", "_s": "7", "qt": "12", "odd": "1",
      ])
  }

  @Test(
    arguments: [
      ("&qt=-1", nil), ("&qt=abc", nil), ("&qt=99999999999999999999", nil), ("&qt=5", "5"),
    ] as [(String, String?)]) func `an invalid queue time is ignored, and the hit is kept`(
      more: String, value: String?
    ) throws
  {
    #expect(try kept(more)["qt"] == value)
  }

  @Test func `three hits of a batch have different times`() {
    let lines = [0, 60_000, 86_400_000].map { "v=1&tid=UA-1-2&cid=1&t=screenview&cd=A&qt=\($0)" }
    let body = Array(lines.joined(separator: "\n").utf8)
    let batches = body.withUnsafeBytes { MeasurementParser.batch($0, received: testTime, key: testKey) }
    let times = batches.flatMap(\.batch.events).map { testTime.millisecondsSince1970 - $0.time.millisecondsSince1970 }
    #expect(times == [0, 60_000, 86_400_000])
    #expect(batches.first?.batch.hits.map(\.event) == [0, 1, 2])
  }

  @Test(arguments: ["&aip=0", "&aip=", "&aip=1", "&aip"])
  func `the address is masked if aip is present`(more: String) throws {
    #expect(try kept(more)["aip"] == "1")
  }

  @Test(arguments: [
    ("203.0.113.77", "203.0.113.0"), ("2001:db8:1:2:3::4", "2001:db8:1::"), ("2001:db8::4", "2001:db8::"),
    ("nonsense", ""),
  ]) func `an address is kept only masked, and geoid sets the country`(address: String, masked: String) throws {
    #expect(try kept("&uip=\(address)")["uip"] == masked)
    let batch = try #require(collect(base + "&uip=\(address)&geoid=de").first?.batch)
    #expect(batch.devices.first?.country == "DE")
  }

  @Test func `an event without an action is not processed`() {
    for more in ["", "&promotion=1", "&ilpi=1", "&il1nm=List", "&pr1id=P"] {
      let batches = collect("v=1&tid=UA-1-2&cid=1&t=event&ec=a\(more)")
      #expect(batches.flatMap(\.batch.events).isEmpty && batches.flatMap(\.batch.hits).isEmpty, "\(more)")
    }
  }

  @Test(arguments: ["pa=purchase&pr1id=P", "promo1id=P", "il1pi1id=P"])
  func `an event without an action is kept for its products, but does not count as an event`(products: String) throws {
    let text = "v=1&tid=UA-1-2&cid=1&t=event&ec=a&el=b&ev=3&\(products)"
    let batch = try #require(collect(text).first?.batch)
    #expect(batch.events.map(\.kind) == [.other] && batch.rejections.isEmpty)
    let kept = Dictionary(batch.hits[0].parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    #expect(kept["ec"] == nil && kept["el"] == nil && kept["ev"] == nil && kept["t"] == "event")
    #expect(kept["!ea"] != nil && kept["!ec"] == nil && kept.values.contains("P"))
    let validation = Array(text.utf8).withUnsafeBytes { MeasurementValidation($0) }
    #expect(validation.isValid && validation.messages.map(\.parameter) == ["ea"])
    let whole = try #require(collect(text + "&ea=c").first?.batch)
    #expect(whole.events.map(\.kind) == [.event])
  }

  @Test func `a value below zero is dropped`() throws {
    #expect(try kept("&ev=-1")["ev"] == nil)
    #expect(try kept("&ev=0")["ev"] == "0")
    #expect(try kept("&ev=1.5")["ev"] == nil)
  }

  @Test(
    arguments: [
      ("$-55.00", "-55.00"), ("1000.000001", "1000.000001"), ("1.23456789", "1.234567"), ("EUR 7", "7"), ("x", nil),
      ("1.2.3", nil), ("-", nil), (".5", ".5"),
    ] as [(String, String?)]) func `money amounts are kept exactly`(written: String, value: String?) throws
  {
    let encoded = try #require(written.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(try kept("&tr=\(encoded)")["tr"] == value)
  }

  @Test func `dropped and truncated values are recorded under a name that no client can send`() throws {
    let kept = try kept("&ev=-1&cd0=a&cn=\(String(repeating: "x", count: 101))&!iq=mine")
    #expect(kept["!ev"] == "dropped, wrong type" && kept["!cd0"] == "dropped, no such index")
    #expect(kept["!cn"] == "truncated to 100 bytes" && kept["cn"]?.count == 100 && kept["!iq"] == nil)
  }

  @Test func `a text that is too long is truncated between characters`() throws {
    let long = String(repeating: "é", count: 100)
    #expect(try kept("&exd=\(long)")["exd"]?.utf8.count == 150)
    #expect(try kept("&exd=x\(long)")["exd"]?.utf8.count == 149)
  }

  @Test func `invalid indexes are ignored, and names must match entirely`() throws {
    let kept = try kept("&cd0=a&cd201=b&cd01=c&cd200=d&cd=Screen&cm=mail&cm1=1.5&cm2=x&cg10=/a//b/&cg11=z&pr1cd201=q")
    #expect(kept["cd0"] == nil && kept["cd201"] == nil && kept["cd01"] == nil && kept["cd200"] == "d")
    #expect(kept["cd"] == "Screen" && kept["cm"] == "mail" && kept["cm1"] == "1.5" && kept["cm2"] == nil)
    #expect(kept["cg10"] == "a/b" && kept["cg11"] == nil && kept["pr1cd201"] == nil)
    #expect(HitParameter.isKnownAndKept("il200pi1cd3") && !HitParameter.isKnownAndKept("cd#"))
  }

  @Test func `a user id replaces a missing client id`() {
    #expect(collect("v=1&tid=UA-1-2&uid=7&t=screenview&cd=A").first?.batch.events.count == 1)
  }

  @Test func `an appview is a screen view`() throws {
    let batch = try #require(collect("v=1&tid=UA-1-2&cid=1&t=appview&cd=A").first?.batch)
    #expect(batch.events.first?.kind == .screen)
  }

  @Test func `booleans are 0 or 1, and the last value of a repeated name counts`() throws {
    let kept = try kept("&ni=1&je=yes&cd5=a&cd5=b")
    #expect(kept["ni"] == "1" && kept["je"] == nil && kept["cd5"] == "b")
  }

  @Test func `the documentation's example has two errors about tid`() throws {
    let validation = validate("tid=fake&v=1")
    #expect(!validation.isValid)
    #expect(
      validation.messages.filter { $0.parameter == "tid" }.map(\.code) == ["VALUE_INVALID", "VALUE_REQUIRED"])
    #expect(validation.messages.contains { $0.parameter == "t" && $0.code == "VALUE_REQUIRED" })
  }

  @Test func `a good hit has no message, a bad optional value a warning`() {
    #expect(validate("v=1&tid=UA-1-2&cid=1&t=screenview&cd=A&an=App") == validate("v=1&tid=UA-1-2&uid=1&t=exception"))
    #expect(validate("v=1&tid=UA-1-2&cid=1&t=screenview&cd=A").messages.isEmpty)
    let bare = validate("v=1&tid=UA-1-2&cid=1&t=screenview&av=2")
    #expect(
      bare.isValid && bare.messages.map(\.parameter) == ["cd", "an"] && bare.messages.allSatisfy { $0.type == "WARN" })
    let odd = validate("v=1&tid=UA-1-2&cid=1&t=event&ec=a&ea=b&ev=-1&cd201=x")
    #expect(odd.isValid && odd.messages.map(\.parameter) == ["ev", "cd201"])
    #expect(validate("v=1&tid=UA-1-2&cid=1&t=timing&utc=a&utv=b&utt=x").messages.map(\.code) == ["VALUE_INVALID"])
  }

  private func validate(_ hit: String) -> MeasurementValidation {
    Array(hit.utf8).withUnsafeBytes { MeasurementValidation($0) }
  }
}
