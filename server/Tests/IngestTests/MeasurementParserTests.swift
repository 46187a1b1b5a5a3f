import Ingest
import TernEvents
import Testing

@Suite struct MeasurementParserTests {
  private let base = "v=1&tid=UA-1-2&cid=35009a79-1a05-49d7-b876-2b884d0f825b"

  private func batch(_ body: String) -> [MeasurementBatch] {
    Array(body.utf8).withUnsafeBytes { MeasurementParser.batch($0, received: testTime, key: testKey) }
  }

  private func one(_ more: String, received: Timestamp = testTime) throws -> IncomingEvent {
    try #require(collect(base + more, received: received).first?.batch.events.first)
  }

  @Test func `an event has its fields and parameters`() throws {
    let batches = collect(
      base + "&t=event&ec=Music%20Player&ea=Play&el=a%26b+c&ev=12&av=3.2.0&ul=pt-br&geoid=br&uid=user-7&_v=mi3.1.7"
        + "&ua=GoogleAnalytics%2F3.17%20(iPhone%3B%20U%3B%20CPU%20iPhone%20OS%2010_3_1%20like%20Mac%20OS%20X)&z=1")
    #expect(batches.map(\.trackingID) == ["UA-1-2"])
    let batch = try #require(batches.first?.batch)
    #expect(batch.source == .measurement && batch.rejections.isEmpty)
    #expect(batch.installs == ["35009a79-1a05-49d7-b876-2b884d0f825b"])
    let event = try #require(batch.events.first)
    #expect(event.kind == .event && event.name == "Play" && event.user == "user-7")
    #expect(event.session == 0 && !event.startsSession)
    let expected: Properties = ["Category": "Music Player", "Action": "Play", "Label": "a&b c", "Value": 12]
    #expect(event.properties == expected.elements)
    let device = try #require(batch.devices.first)
    #expect(device.osName == "iOS" && device.osVersion == "10.3.1" && device.model == "iPhone")
    #expect(device.appVersion == "3.2.0" && device.locale == "pt-br" && device.country == "BR")
  }

  @Test(arguments: [
    "&t=timing&utc=a&utv=b&utt=7", "&t=transaction&ti=1", "&t=item&ti=1&in=a", "&t=social&sn=a&sa=b&st=c",
    "&t=exception", "&t=exception&exf=0",
  ]) func `an address is masked wherever the hit's text is kept`(more: String) throws {
    for address in ["&uip=203.0.113.77", "&u%69p=203.0.113.77&aip=1", "&uip=x&uip=203%2E0.113.77"] {
      let batch = try #require(collect(base + address + more).first?.batch)
      let texts =
        batch.events.flatMap { event in event.properties.map { "\($0.value)" } }
        + batch.errors.map { String(decoding: $0.raw, as: UTF8.self) }
      #expect(texts.count == 1)
      #expect(texts.allSatisfy { $0.contains("uip=203.0.113.0") && !$0.contains("113.77") && $0.contains("t=") })
    }
  }

  @Test(arguments: [
    ("&t=screenview&cd=Home", StoredKind.screen, "Home"), ("&t=appview&cd=Home", .screen, "Home"),
    ("&t=pageview&dh=h&dp=%2Fhome", .screen, "/home"), ("&t=screenview", .screen, "(not set)"),
    ("&t=exception&exd=x&exf=0", .handledError, "exception"), ("&t=exception", .crash, "exception"),
    ("&t=timing&utc=a&utv=b&utt=7", .other, "timing"), ("&t=item&ti=1&in=a", .other, "item"),
  ]) func `each hit type has its kind`(more: String, kind: StoredKind, name: String) throws {
    let event = try one(more)
    #expect(event.kind == kind && event.name == name)
    #expect((Properties(event.properties)["raw"] != nil) == (kind == .other))
  }

  @Test(arguments: [
    ("t=screenview&v=1&cid=1", "tid_missing"), ("t=screenview&tid=UA-1-2&cid=1", "version_invalid"),
    ("v=2&t=screenview&tid=UA-1-2&cid=1", "version_invalid"), ("v=1&t=screenview&tid=UA-1-2", "cid_missing"),
    ("v=1&tid=UA-1-2&cid=1", "type_missing"), ("v=1&tid=UA-1-2&cid=1&t=event&ec=a", "action_missing"),
    ("v=1&tid=UA-1-2&cid=1&t=event&ea=a", "category_missing"), ("v=1&tid=UA-1-2&cid=1&t=odd", "t_unknown"),
    ("v=1&tid=UA-1-2&cid=1&t=pageview&dh=h", "page_missing"), ("v=1&tid=UA-1-2&cid=1&t=item&in=a", "ti_missing"),
    ("v=1&tid=UA-1-2&cid=1&t=item&ti=1", "in_missing"), ("v=1&tid=UA-1-2&cid=1&t=transaction", "ti_missing"),
    ("v=1&tid=UA-1-2&cid=1&t=social&sn=a&sa=b", "social_missing"),
    ("v=1&tid=UA-1-2&cid=1&t=timing&utc=a&utv=b&utt=1.5", "timing_missing"), ("", "tid_missing"),
    ("%%%=&&=&", "tid_missing"),
    ("v=1&tid=UA-1-2&cid=1&t=event&ec=a&ea=" + String(repeating: "x", count: 8192), "event_too_large"),
  ]) func `a broken hit is rejected, but is never an error`(payload: String, reason: String) {
    let batches = collect(payload)
    #expect(batches.flatMap(\.batch.rejections).map(\.reason) == [reason])
    #expect(batches.flatMap(\.batch.events).isEmpty)
  }

  @Test(
    arguments: [
      ("&qt=10010", 10_010), ("", 0), ("&qt=-5", 0), ("&qt=x", 0), ("&qt=99999999999999999999", 0),
      ("&qt=14400001", 14_400_001), ("&qt=34560000000", 400 * 86_400_000),
    ] as [(String, Int64)]) func `the time of a hit is its receipt minus the queue time`(more: String, queued: Int64)
    throws
  {
    let event = try one("&t=screenview&cd=A" + more)
    #expect(testTime.millisecondsSince1970 - event.time.millisecondsSince1970 == queued)
  }

  @Test func `a hit that waited for longer than the server remembers hits is rejected`() throws {
    for (queued, limit) in [("34560000001", 400), ("9223372036854775807", 400), ("604800001", 7)] {
      let payload = base + "&t=screenview&cd=A&qt=" + queued
      var limits = IngestLimits.measurement
      limits.maximumAge = .seconds(limit * 86_400)
      let batch = try #require(
        MeasurementParser.collect(payload, received: testTime, key: testKey, limits: limits).first?.batch)
      #expect(batch.events.isEmpty && batch.rejections.map(\.reason) == [RejectionReason.timeTooOld.rawValue])
      #expect(batch.rejections.first?.message.contains("'qt'") == true)
    }
  }

  @Test func `only sc=start starts a session`() throws {
    #expect(try one("&t=screenview&sc=start").startsSession)
    #expect(try one("&t=screenview&sc=end").startsSession == false)
    #expect(try one("&t=screenview&sc=foo").startsSession == false)
  }

  @Test func `retries have the same key, other hits do not`() throws {
    let first = try one("&t=screenview&ht=1000&z=7&qt=1").duplicateKey
    #expect(first != nil && first?.milliseconds == 1000)
    #expect(try one("&t=screenview&ht=1000&z=7&qt=99", received: testTime + .seconds(86_400 * 9)).duplicateKey == first)
    #expect(try one("&t=screenview&ht=1001&z=7").duplicateKey != first)
    #expect(try one("&t=screenview&ht=1000&z=8").duplicateKey != first)
    #expect(try one("&t=screenview&ht=1000&z=7&cid=2").duplicateKey != first)
    #expect(try one("&t=screenview&ht=1000").duplicateKey == nil)
    let window = Timestamp(millisecondsSince1970: 172_800_000 * 10_000)
    let plain = try one("&t=screenview&z=7", received: window).duplicateKey
    #expect(plain != nil)
    #expect(try one("&t=screenview&z=7", received: window + .seconds(172_799)).duplicateKey == plain)
    #expect(try one("&t=screenview&z=7", received: window + .seconds(172_800)).duplicateKey != plain)
  }

  @Test func `hits without ht are duplicates if only their queue time differs`() throws {
    let first = try one("&t=screenview&cd=A&z=123").duplicateKey
    #expect(try one("&t=screenview&cd=B&z=123").duplicateKey != first)
    #expect(try one("&t=screenview&cd=A&z=124").duplicateKey != first)
    #expect(try one("&t=screenview&cd=A&z=123&qt=5000").duplicateKey == first)
    #expect(try one("&qt=1&t=screenview&z=123&cd=A").duplicateKey == first)
  }

  @Test func `a batch is read line by line and grouped by tracking id`() throws {
    let line = base + "&t=screenview&cd="
    let other = line.replacing("UA-1-2", with: "UA-9-9")
    let batches = batch(line + "A\r\n\r\n" + other + "B\n" + "junk\n" + line + "C")
    #expect(batches.map(\.trackingID) == ["UA-1-2", "UA-9-9", ""])
    #expect(batches[0].batch.names(.screen) == ["A", "C"])
    #expect(batches[0].batch.events.map(\.index) == [0, 3])
    #expect(batches[0].batch.installs.count == 1 && batches[0].batch.devices.count == 1)
    #expect(batches[1].batch.names(.screen) == ["B"])
    #expect(batches[2].batch.rejections.map(\.index) == [2])
  }

  @Test func `the twenty-first hit is rejected and counted for its app`() {
    let line = base + "&t=screenview\n"
    let other = "v=1&%74id=UA-9-9&cid=1&t=screenview\n"
    let batches = batch(String(repeating: line, count: 22) + other + "?" + line + "cid=1&tid=\n")
    #expect(batches.map(\.trackingID) == ["UA-1-2", "UA-9-9", ""])
    #expect(batches[0].batch.events.count == 20)
    #expect(batches[0].batch.rejections.map(\.index) == [20, 21, 23])
    #expect(batches[1].batch.rejections.map(\.index) == [22])
    #expect(batches[2].batch.rejections.map(\.index) == [24])
    #expect(Set(batches.flatMap(\.batch.rejections).map(\.reason)) == ["too_many_hits"])
  }

  @Test func `a hit that is too long is rejected and counted for the app in its first bytes`() {
    let long = "&cd=" + padding(9_000)
    for (hit, trackingID) in [
      (base + long, "UA-1-2"), ("?" + base + long, "UA-1-2"), ("tid=UA-9-9&" + base + long, "UA-1-2"),
      ("v=1" + long + "&tid=UA-1-2", ""), (base + long + "&tid=UA-9-9", "UA-1-2"),
      ("xtid=1&tidy=2&t=3&id=4&tid&%74%69%64=UA%2D9-9" + long, "UA-9-9"),
    ] {
      for batches in [collect(hit), batch("junk\n" + hit)] {
        #expect(batches.last?.trackingID == trackingID)
        #expect(batches.last?.batch.rejections.last?.reason == "event_too_large")
        #expect(batches.flatMap(\.batch.events).isEmpty)
      }
    }
  }

  @Test(arguments: 8_180...8_200) func `an id truncated by the limit belongs to no app`(position: Int) {
    let start = "v=1&cd="
    let hit = start + padding(position - start.utf8.count) + "&tid=UA-1-23&cd=" + padding(9_000)
    #expect(collect(hit).map(\.trackingID) == [position + "&tid=UA-1-23".utf8.count <= 8_192 ? "UA-1-23" : ""])
  }

  @Test func `the cost of a request with countless apps is bounded`() {
    let lines = (0..<3_000).map { "v=1&tid=UA-\($0)-1&cid=1&t=screenview" }
    let batches = batch(lines.joined(separator: "\n"))
    #expect(batches.count == 41)
    #expect(batches.flatMap(\.batch.events).count == 20)
    #expect(batches.flatMap(\.batch.rejections).count == 1_980)
    #expect(batches.last?.trackingID == "")
  }

  private func padding(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `texts are decoded, trimmed and truncated`() throws {
    let long = String(repeating: "é", count: 100)
    let event = try one("&t=event&ea=%20+a%0A%09b+&ec=\(long)&el=%FF%C3%BC%zz%4&ev=-1&el=&el=last%00")
    let properties = Properties(event.properties)
    #expect(event.name == "a b")
    #expect(properties["Category"] == .string(String(long.prefix(75))))
    #expect(properties["Label"] == .string("last\u{FFFD}"))
    #expect(properties["Value"] == nil)
    let odd = try one("&t=event&ea=%FF%C3%BC%zz%4&ec=1&%65l=x&cd201=z&=&&")
    #expect(odd.name == "\u{FFFD}ü%zz%4")
    #expect(Properties(odd.properties)["Label"] == .string("x"))
  }

  @Test func `a query may start with a question mark, and a user id replaces a missing client id`() throws {
    let batches = collect("?v=1&tid=UA-1-2&uid=someone&t=screenview&cd=A\n")
    #expect(batches.first?.batch.installs == [" someone"])
    #expect(batches.first?.batch.names(.screen) == ["A"])
    let client = collect("v=1&tid=UA-1-2&cid=%20someone&t=screenview&cd=A").first?.batch.installs
    #expect(client == ["someone"], "a client is not a user with the same id")
  }

  @Test(arguments: ["cid", "uid"]) func `clients that differ only at the end of a long id are distinct`(name: String)
    throws
  {
    let start = String(repeating: "ü", count: 200)
    let lines = ["1", "2", "1"].map { "v=1&tid=UA-1-2&\(name)=\(start)\($0)&t=screenview&cd=A" }
    let batch = try #require(batch(lines.joined(separator: "\n")).first?.batch)
    #expect(batch.installs.count == 2)
    #expect(batch.installs.allSatisfy { $0.utf8.count <= 64 && $0.contains("üüü") })
    #expect(batch.events.map(\.install) == [0, 1, 0])
    let longest = String(repeating: "x", count: name == "cid" ? 64 : 63)
    let exact = collect("v=1&tid=UA-1-2&\(name)=\(longest)&t=screenview&cd=A").first?.batch.installs
    #expect(exact == [name == "cid" ? longest : " " + longest], "an id that fits is unchanged")
  }

  @Test(arguments: [
    ("Mozilla/5.0 (Linux; Android 13; Pixel 7 Build/TQ3A) AppleWebKit", "Android", "13", "Pixel 7"),
    ("GoogleAnalytics/2.0 (Linux; U; Android 4.4.2; en-us; Nexus 5 Build/KOT49H)", "Android", "4.4.2", "Nexus 5"),
    ("Mozilla/5.0 (iPad; CPU OS 9_3 like Mac OS X)", "iOS", "9.3", "iPad"),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "macOS", "10.15.7", ""),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "Windows", "10.0", ""), ("curl/8", "", "", ""), ("", "", "", ""),
    ("X11; Linux x86_64", "Linux", "", ""), ("Android ", "Android", "", ""),
    ("Android 1 Build/ Build/", "Android", "1", "Android 1"),
  ]) func `user agents determine the system`(header: String, os: String, version: String, model: String) throws {
    let batches = collect(base + "&t=screenview", userAgent: header)
    let device = try #require(batches.first?.batch.devices.first)
    #expect([device.osName, device.osVersion, device.model] == [os, version, model])
  }
}
