import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse

/// Tests the keys of other systems by which apps are known, too.
@Suite struct WriteKeyTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Catalog(directory: directory.path)
  }

  @Test func `an app is found by each of its keys, and by its own`() throws {
    let keys = ["wk_example", "G-EXAMPLE1", "7", "shop.example", "0f8fad5b-d9cb-469f-a165-70867728950e"]
    let app = try catalog.createApp(name: "Player", writeKeys: keys)
    #expect(app.writeKeys == keys)
    for key in keys + [app.key] { #expect(try catalog.app(writeKey: key) == app, "\(key)") }
    // Exactly as it is.
    for other in ["", "WK_EXAMPLE", "wk_example ", app.appSecret, app.trackingID] {
      #expect(try catalog.app(writeKey: other) == nil, "\(other)")
    }
    // The keys of other systems are none of Tern's own clients.
    #expect(try catalog.app(key: "wk_example") == nil)
    #expect(try catalog.apps() == [app])
  }

  @Test func `keys are replaced as a whole, in their order, and nothing else changes them`() throws {
    let app = try catalog.createApp(name: "Player", writeKeys: ["b", "a"])
    func changed(_ change: AppChange) throws -> [String] { try catalog.changeApp(app.id, change).app.writeKeys }
    #expect(try changed(AppChange(name: "New")) == ["b", "a"])
    #expect(try changed(AppChange(writeKeys: ["a", "c"])) == ["a", "c"])
    #expect(try catalog.app(writeKey: "b") == nil)
    #expect(try catalog.app(writeKey: "c")?.id == app.id)
    // What one app gives up, another may have.
    #expect(try catalog.createApp(name: "Other", writeKeys: ["b"]).writeKeys == ["b"])
    #expect(try changed(AppChange(writeKeys: [])).isEmpty)
    #expect(try catalog.app(writeKey: "a") == nil)
    let entries = try catalog.audit(limit: 100).map(\.subject)
    #expect(entries.contains { $0.contains("write keys a c") } && entries.contains { $0.contains("write keys none") })
  }

  @Test func `a key that another app has in any form is refused, and nothing changes`() throws {
    let other = try catalog.createApp(name: "Other", writeKeys: ["taken"])
    let app = try catalog.createApp(name: "Player", writeKeys: ["own"])
    let longest = String(repeating: "k", count: App.maximumWriteKeyBytes)
    for keys in [
      ["taken"], [other.key], [other.appSecret], [other.trackingID], ["new", "taken"], ["twice", "twice"], [""],
      ["a b"],
      ["a\n"], ["a\u{0}"], ["\u{E9}"], [longest + "k"], (0...App.maximumWriteKeys).map { "key\($0)" },
    ] {
      let change = #expect(throws: WarehouseError.self, "\(keys)") {
        try catalog.changeApp(app.id, AppChange(name: "New", writeKeys: keys))
      }
      #expect(change?.code == .invalid, "\(keys)")
      let creation = #expect(throws: WarehouseError.self, "\(keys)") {
        try catalog.createApp(name: "Third", writeKeys: keys)
      }
      #expect(creation?.code == .invalid, "\(keys)")
      #expect(try catalog.apps() == [other, app], "\(keys)")
    }
    #expect(try catalog.app(writeKey: "own") == app && catalog.app(writeKey: "new") == nil)
    let most = (1...App.maximumWriteKeys).map { "key\($0)" }
    #expect(try catalog.changeApp(app.id, AppChange(writeKeys: most)).app.writeKeys == most)
    #expect(try catalog.changeApp(app.id, AppChange(writeKeys: [longest])).app.writeKeys == [longest])
  }

  @Test func `an app secret or tracking ID that is another app's key is refused, and one's own is not`() throws {
    let (secret, tracking) = ("6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10", "UA-12345678-1")
    let other = try catalog.createApp(name: "Other", writeKeys: [secret, tracking])
    let app = try catalog.createApp(name: "Player")
    for change in [AppChange(appSecret: secret), AppChange(trackingID: tracking)] {
      let error = #expect(throws: WarehouseError.self) { try catalog.changeApp(app.id, change) }
      #expect(error?.code == .invalid)
    }
    #expect(throws: WarehouseError.self) { try catalog.createApp(name: "Third", appSecret: secret) }
    #expect(throws: WarehouseError.self) { try catalog.createApp(name: "Third", trackingID: tracking) }
    #expect(try catalog.apps() == [other, app])
    #expect(try catalog.changeApp(other.id, AppChange(appSecret: secret)).app.appSecret == secret)
  }

  @Test func `a running server finds a new key at once, and loses an old one within a second`() throws {
    let time = Locked(Timestamp(millisecondsSince1970: 1_000_000))
    let server = try Catalog(directory: directory.path, now: { time.withLock { $0 } })
    let app = try catalog.createApp(name: "Player", writeKeys: ["old"])
    #expect(try server.app(writeKey: "old") == app)
    for number in 0..<3 {
      #expect(try server.app(writeKey: "new\(number)") == nil)
      let changed = try catalog.changeApp(app.id, AppChange(writeKeys: ["new\(number)"])).app
      #expect(try server.app(writeKey: "new\(number)") == changed)
    }
    time.withLock { $0 = $0 + .seconds(1) }
    #expect(try server.app(writeKey: "old") == nil)
  }

  @Test func `a deleted app's keys are free`() throws {
    let app = try catalog.createApp(name: "Player", writeKeys: ["wk_example", "second"])
    let job = try catalog.requestDeletion(of: app)
    try catalog.finishDeletion(of: app.id, job: job.id, DataJob.Result(message: "Done"))
    #expect(try catalog.app(writeKey: "wk_example") == nil)
    let next = try catalog.createApp(name: "Next", writeKeys: ["wk_example"])
    #expect(next.id > app.id && next.writeKeys == ["wk_example"])
    #expect(try catalog.app(writeKey: "second") == nil)
  }
}
