import Foundation
import Tern
import TernBase
import TernEvents
import TernLog
import TernMeasurement
import TernTestSupport
import Testing

@testable import GoogleAnalytics

@Suite(.timeLimit(.minutes(30))) struct `Screens, log lines and crashes` {
  let world = MeasurementWorld()

  @Test func `a screen records one view each time it appears, none without a name; its own tracker comes first`()
    async
  {
    let gai = world.launch()
    let own = gai.tracker(withTrackingId: "UA-1-1")
    let standard = gai.tracker(withTrackingId: "UA-1-2")
    ScreenAppearance.record("Home", with: own, else: standard)
    ScreenAppearance.record("Home", with: nil, else: standard)
    ScreenAppearance.record(nil, with: own, else: standard)
    ScreenAppearance.record("Home", with: nil, else: nil)
    await gai.sendEverything()
    #expect(world.transport.received.map { $0["t"] } == ["screenview", "screenview"])
    #expect(world.transport.received.map { $0["tid"] } == ["UA-1-1", "UA-1-2"])
    #expect(own?.get(kGAIScreenName) == "Home", "the name stays for the hits on the screen")
    await gai.quit()
  }

  @Test func `dimensions set before the screen appears are in its hit`() async {
    let gai = world.launch()
    let tracker = gai.tracker(withTrackingId: "UA-1-1")
    tracker?.set(GAIFields.customDimension(for: 1), value: "gold")
    ScreenAppearance.record("Home", with: tracker, else: nil)
    await gai.sendEverything()
    #expect(world.transport.received.map { $0["cd1"] } == ["gold"])
    await gai.quit()
  }

  @Test func `a logger prints its level and everything below`() {
    let lines = Locked<[String]>([])
    let logger = StandardLogger { line in lines.withLock { $0.append(line) } }
    func log() {
      logger.verbose("v")
      logger.info("i")
      logger.warning("w")
      logger.error("e")
    }
    log()
    #expect(lines.withLock { $0.count } == 2)
    #expect(lines.withLock { $0.first }?.hasPrefix("WARNING: GoogleAnalytics 3.17") == true)
    logger.logLevel = .none
    log()
    logger.logLevel = .verbose
    log()
    #expect(lines.withLock { $0.count } == 6)
  }

  @Test func `all lines go to the logger set last`() async {
    let first = RecordingLogger()
    let second = RecordingLogger()
    let gai = world.launch(logger: first)
    gai.tracker(withTrackingId: nil)
    gai.logger = second
    #expect(gai.logger === second)
    gai.tracker(withTrackingId: nil)
    gai.tracker(withTrackingId: "UA-1-1")?.send(["&t": "screenview", "&cd": "Home"])
    await gai.sendEverything()
    #expect(first.lines(.error).count == 1 && second.lines(.error).count == 1)
    #expect(second.lines(.verbose).contains { $0.contains("Sending hit(s) GET") })
    #expect(first.lines(.verbose).isEmpty)
    await gai.quit()
  }

  @Test func `an uncaught exception is stored as fatal and sent, and the previous handler is called`() async {
    let system = TestExceptions()
    let before = system.handler
    let gai = world.launch()
    gai.tracker(withTrackingId: "UA-1-1")
    gai.trackExceptions { UncaughtExceptions(system, record: $0) }
    gai.trackUncaughtExceptions = true
    #expect(gai.trackUncaughtExceptions && system.handler !== before)
    await system.raise("Out of bounds")
    let hit = world.transport.received.first
    #expect(hit?["t"] == "exception" && hit?["exf"] == "1" && hit?["exd"] == "Out of bounds")
    #expect(system.raised == ["Out of bounds"])
    await gai.quit()
  }

  @Test func `a report that cannot be sent is sent at the next launch`() async {
    world.transport.answer { _ in .failure(.connection) }
    let system = TestExceptions()
    let gai = world.launch()
    gai.tracker(withTrackingId: "UA-1-1")
    gai.trackExceptions { UncaughtExceptions(system, record: $0) }
    gai.trackUncaughtExceptions = true
    await system.raise("Out of bounds")
    await gai.quit()
    world.transport.answer { _ in .accept }
    let next = world.launch()
    await next.sendEverything()
    #expect(world.transport.received.map { $0["exd"] } == ["Out of bounds"])
    await next.quit()
  }

  @Test func `without a default tracker nothing is recorded, and the process does not wait before it ends`()
    async
  {
    world.transport.answer { _ in .hold }
    let system = TestExceptions()
    let gai = world.launch()
    gai.trackExceptions { UncaughtExceptions(system, record: $0) }
    gai.trackUncaughtExceptions = true
    await system.raise("Out of bounds")
    #expect(gai.engine.engine.log.counts.waiting == 0 && system.raised.count == 1)
    gai.tracker(withTrackingId: "UA-1-1")?.send(["&t": "screenview"])
    gai.engine.dispatchBeforeEnd(timeout: .zero)
    await gai.quit()
  }

  @Test func `switching it off restores the previous handler`() async {
    let system = TestExceptions()
    let before = system.handler
    let gai = world.launch()
    gai.trackExceptions { UncaughtExceptions(system, record: $0) }
    gai.trackUncaughtExceptions = true
    gai.trackUncaughtExceptions = true
    gai.trackUncaughtExceptions = false
    #expect(system.handler === before && !gai.trackUncaughtExceptions)
    await gai.quit()
  }

  @Test func `no call takes long with ten thousand hits in the queue`() async throws {
    let gai = world.launch()
    let tracker = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    let builder = GAIDictionaryBuilder.createItem(
      withTransactionId: "1", name: "n", sku: nil, category: nil, price: 1, quantity: 1, currencyCode: nil)
    for _ in 0..<9_999 { tracker.send(builder?.build() as? [AnyHashable: Any]) }
    await gai.engine.caughtUp()
    // Counts file operations instead of measuring time on a busy machine: a call's work must not grow with the queue.
    let before = world.files.operationCount
    tracker.send(builder?.build() as? [AnyHashable: Any])
    #expect(world.files.operationCount - before <= 4)
    let calls = world.files.operationCount
    gai.dispatchInterval = 0
    _ = (gai.dispatchInterval, gai.optOut, gai.dryRun, tracker.get(kGAIClientId))
    tracker.set("&cd1", value: "x")
    #expect(world.files.operationCount - calls <= 4)
    await gai.quit()
  }
}

/// An exception source controlled by a test.
private final class TestExceptions: ExceptionSystem {
  final class Handler: Sendable {
    let body: @Sendable (String) -> Void
    init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }
  }

  private let current: Locked<Handler?>
  private let calls: Locked<[String]>

  init() {
    let calls = Locked<[String]>([])
    self.calls = calls
    current = Locked(Handler { text in calls.withLock { $0.append(text) } })
  }

  var handler: Handler? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// The arguments of the previously installed handler.
  var raised: [String] { calls.withLock { $0 } }

  func makeHandler(_ body: @escaping @Sendable (String) -> Void) -> Handler { Handler(body) }
  func call(_ handler: Handler, _ exception: String) { handler.body(exception) }
  func describe(_ exception: String) -> String { exception }

  /// Raises an exception on a separate thread: the handler blocks, and a task must not.
  func raise(_ text: String) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread { [self] in
        handler?.body(text)
        continuation.resume()
      }
    }
  }
}
