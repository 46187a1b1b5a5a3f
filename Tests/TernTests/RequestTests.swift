import Foundation
import TernEvents
import TernGzip
import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `A request` {
  @Test func `has exactly these bytes`() async throws {
    let harness = try TestHarness(seed: 42)
    let tern = try harness.client { $0.compressesRequests = false }
    tern.identify("user-7")
    harness.clock.advance(by: .milliseconds(1500))
    tern.track("Video clicked", ["Category": "Music", "Length": 12.5, "HD": true, "Plays": 3])
    await tern.flush()
    let request = try #require(harness.transport.requests.first)
    let expected = #"""
      {"context":{"install":"7c816738-c129-43b2-913e-5dec6f8fd8a8","session":"019b76da-a800-7739-9148-5b98a7ea20b7",\#
      "boot":"11111111-2222-4333-8444-555555555555",\#
      "device":{"osName":"TestOS","osVersion":"1.2","model":"T1","locale":"en_GB","country":"GB","timeZoneOffset":60,\#
      "sdkName":"tern-swift","sdkVersion":"0.0.0"},"app":{"version":"3.4","build":"56","namespace":"test.app"}}}
      {"id":"019b76da-a800-8000-8002-8f50341ebd74","time":1767225600000,"uptime":1000000,"type":"session_start"}
      {"context":{"install":"7c816738-c129-43b2-913e-5dec6f8fd8a8","session":"019b76da-a800-7739-9148-5b98a7ea20b7",\#
      "user":"user-7","boot":"11111111-2222-4333-8444-555555555555",\#
      "device":{"osName":"TestOS","osVersion":"1.2","model":"T1","locale":"en_GB","country":"GB","timeZoneOffset":60,\#
      "sdkName":"tern-swift","sdkVersion":"0.0.0"},"app":{"version":"3.4","build":"56","namespace":"test.app"}}}
      {"id":"019b76da-addc-8002-8006-a3d4cc48678e","time":1767225601500,"uptime":1001500,"type":"event",\#
      "name":"Video clicked","properties":{"Category":"Music","Length":12.5,"HD":true,"Plays":3}}

      """#
    #expect(String(decoding: request.body, as: UTF8.self) == expected)
    #expect(request.raw.url.absoluteString == "http://collector.test/v1/events")
    #expect(
      request.raw.headers == [
        "Tern-Key": "test-key", "Content-Type": "application/x-ndjson", "User-Agent": "tern-swift/0.1.0",
        "Tern-Sent": "time=1767225601500; uptime=1001500; boot=11111111-2222-4333-8444-555555555555",
        "Tern-Ledger": "tracked=2; delivered=0; waiting=0; in-flight=2; dropped=0",
      ])
    await tern.shutdown()
  }

  @Test func `is compressed from 1 KiB`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    await tern.flush()
    for _ in 0..<10 { tern.track("A") }
    await tern.flush()
    let requests = harness.transport.requests
    #expect(requests.map { $0.raw.headers["Content-Encoding"] } == [nil, "gzip"])
    #expect(requests[1].events.count == 10 && requests[1].raw.body.count < requests[1].body.count / 3)
    await tern.shutdown()
  }

  @Test(arguments: [
    ("http://h", "http://h/v1/events"), ("http://h/", "http://h/v1/events"),
    ("https://h:8443/tern/", "https://h:8443/tern/v1/events"), ("HTTP://h/a?b=c#d", "HTTP://h/a/v1/events"),
  ])
  func `is sent to the endpoint below the collector's address`(collector: String, endpoint: String) throws {
    let url = try #require(URL(string: collector))
    #expect(try TernClient.Configuration(key: "k", collector: url).endpoint()?.absoluteString == endpoint)
  }

  @Test(arguments: [0, 1, 1023, 1024, 100_000, 600_000]) func `decompresses to the same bytes`(count: Int) throws {
    var generator = FastGenerator(seed: 5)
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...30, using: &generator) }
    #expect(gunzip(try #require(gzip(bytes))) == bytes)
  }
}

@Suite struct `Device properties` {
  @Test(
    arguments: [
      ("pt_BR", "BR"), ("zh_Hant_TW", "TW"), ("de-AT", "AT"), ("en", nil), ("es_419", "419"), ("C", nil), ("", nil),
      ("en_us.UTF-8", "US"), ("de_DE@euro", "DE"),
    ] as [(String, String?)])
  func `take the region from the locale`(locale: String, region: String?) {
    #expect(Device.region(ofLocale: locale) == region)
  }

  @Test func `fall back to the configuration for values missing in the bundle`() throws {
    var configuration = TernClient.Configuration(key: "k", collector: try #require(URL(string: "http://h")))
    configuration.appVersion = "9.9"
    configuration.countryCode = "at"
    let bare = Device(osName: "o", osVersion: "1", locale: "de_DE", country: "DE")
    #expect(bare.completed(by: configuration).appVersion == "9.9")
    #expect(bare.completed(by: configuration).appBuild == "0")
    #expect(bare.completed(by: configuration).country == "AT")
    #expect(TestHarness.device.completed(by: configuration).appVersion == "3.4")
  }

  #if os(Linux)
    @Test func `read os-release with and without quotes`() {
      let text = "# comment\nNAME=\"Debian GNU/Linux\"\nVERSION_ID='12'\nID=debian\n\nBROKEN\n"
      #expect(Device.osRelease(text) == ["NAME": "Debian GNU/Linux", "VERSION_ID": "12", "ID": "debian"])
    }

    @Test func `follow POSIX for the locale`() {
      #expect(Device.localeName(environment: ["LC_ALL": "", "LANG": "pt_BR.UTF-8"]) == "pt_BR")
      #expect(Device.localeName(environment: ["LC_ALL": "de_AT@euro", "LANG": "pt_BR.UTF-8"]) == "de_AT")
      #expect(Device.localeName(environment: ["LANG": "C.UTF-8"]) == "en")
      #expect(Device.localeName(environment: [:]) == "en")
    }

    @Test func `identify this machine`() {
      let device = Device.current
      #expect(!device.osName.isEmpty && !device.osVersion.isEmpty && device.model?.isEmpty == false)
      #expect(device.appVersion == "0" && device.appNamespace?.isEmpty == false)
      #expect(TernClient.Environment.currentBoot()?.count == 36)
    }

    @Test func `follow XDG for the queue directory`() {
      let directory = TernClient.Configuration.dataDirectory
      #expect(directory(["XDG_DATA_HOME": "/data", "HOME": "/home/a"]).path == "/data")
      #expect(directory(["XDG_DATA_HOME": "relative", "HOME": "/home/a"]).path == "/home/a/.local/share")
      #expect(directory(["HOME": "/home/a"]).path == "/home/a/.local/share")
    }
  #endif

  @Test(arguments: [[], [0], [1, 0, 100_000], [600_000, 1, 70_000]])
  func `what is compressed in pieces decompresses to the same bytes`(counts: [Int]) throws {
    var generator = FastGenerator(seed: 6)
    let stream = try #require(GzipStream(level: 1))
    var (bytes, packed): ([UInt8], [UInt8]) = ([], [])
    for count in counts {
      let piece = (0..<count).map { _ in UInt8.random(in: 0...30, using: &generator) }
      bytes += piece
      packed += stream.add(piece)
    }
    packed += stream.finish([7])
    #expect(gunzip(packed) == bytes + [7])
  }
}
