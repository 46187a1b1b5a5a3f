import Foundation
import GoogleAnalytics
import Tern
import TernBase
import TernEvents
import TernTestSupport
import Testing

/// The part of UIKit that the documentation's listing needs, on top of Tern's source of background time.
private final class Application {
  private let activity: ScriptedBackgroundActivity
  private let ends = Locked<[Int: @Sendable () -> Void]>([:])
  static let invalidTask = 0

  init(_ activity: ScriptedBackgroundActivity) { self.activity = activity }

  func beginBackgroundTask(expirationHandler: @escaping () -> Void) -> Int {
    struct Block: @unchecked Sendable { let call: () -> Void }
    let block = Block(call: expirationHandler)
    let end = activity.begin("Sending hits") { block.call() }
    return ends.withLock { ends in
      ends[ends.count + 1] = end
      return ends.count
    }
  }

  func endBackgroundTask(_ task: Int) { ends.withLock { $0[task] }?() }
}

/// The documentation's listing, line by line in Swift.
private final class AppDelegate {
  private var dispatchHandler: ((GAIDispatchResult) -> Void)?
  private let application: Application
  private let gai: GAI
  /// The results passed to the handler; not in the listing.
  let results = Locked<[GAIDispatchResult]>([])
  let whenEnded: @Sendable () -> Void

  init(_ gai: GAI, _ application: Application, whenEnded: @escaping @Sendable () -> Void) {
    self.gai = gai
    self.application = application
    self.whenEnded = whenEnded
  }

  // This method sends any queued hits when the app enters the background.
  func sendHitsInBackground() {
    var taskExpired = false
    let taskId = application.beginBackgroundTask(expirationHandler: { taskExpired = true })
    if taskId == Application.invalidTask { return }
    dispatchHandler = { [weak self] result in
      self?.results.withLock { $0.append(result) }
      // Send hits until no hits are left, a dispatch error occurs, or the background task expires.
      if result == .good && !taskExpired {
        self?.gai.dispatch(completionHandler: self?.dispatchHandler)
      } else {
        self?.application.endBackgroundTask(taskId)
        self?.whenEnded()
      }
    }
    gai.dispatch(completionHandler: dispatchHandler)
  }

  func applicationDidEnterBackground() { sendHitsInBackground() }

  func applicationWillEnterForeground() {
    // Restores the dispatch interval because dispatchWithCompletionHandler has disabled automatic dispatching.
    gai.dispatchInterval = 120
  }
}

@Suite(.timeLimit(.minutes(30))) struct `The page's loop in the background` {
  private func run(
    _ world: MeasurementWorld, hits: Int, then check: (AppDelegate, GAI) async -> Void = { _, _ in }
  ) async -> [GAIDispatchResult] {
    let gai = world.launch()
    let tracker = gai.tracker(withTrackingId: "UA-1-1")
    for number in 0..<hits {
      tracker?.send(
        GAIDictionaryBuilder.createEvent(withCategory: "c", action: "a", label: "\(number)", value: nil)
          .build() as [NSObject: AnyObject])
    }
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let delegate = AppDelegate(gai, Application(world.backgroundActivity)) { end.finish() }
    delegate.applicationDidEnterBackground()
    for await _ in ended {}
    #expect(world.backgroundActivity.begun == 1 && world.backgroundActivity.ended == [1])
    #expect(!gai.isDispatchingPeriodically)
    delegate.applicationWillEnterForeground()
    #expect(gai.isDispatchingPeriodically)
    await check(delegate, gai)
    await gai.quit()
    return delegate.results.withLock { $0 }
  }

  @Test func `45 hits: good three times, then noData; the task is ended once`() async {
    let world = MeasurementWorld()
    #expect(await run(world, hits: 45) == [.good, .good, .good, .noData])
    #expect(world.transport.received.count == 45)
  }

  @Test func `a second request that fails: good, error; 25 hits stay; the task is ended once`() async {
    let world = MeasurementWorld(transport: MeasurementTransport(answers: [.accept, .status(500)]))
    let results = await run(world, hits: 45) { _, gai in
      await gai.sendEverything()
      #expect(world.transport.requests.suffix(2).map(\.hits.count) == [20, 5])
    }
    #expect(results == [.good, .error])
    #expect(Set(world.transport.received.compactMap { $0["el"] }).count == 45)
  }

  @Test func `offline: noData first; the task is ended; the hits stay`() async {
    let world = MeasurementWorld(transport: MeasurementTransport(answers: [.failure(.offline)]))
    let results = await run(world, hits: 3) { _, gai in await gai.sendEverything() }
    #expect(results == [.noData])
    #expect(world.transport.received.count == 3)
  }

  @Test func `background time that runs out during the first request ends the loop after it`() async {
    let activity = ScriptedBackgroundActivity()
    let transport = MeasurementTransport { _ in
      activity.expire()
      return .accept
    }
    let world = MeasurementWorld(transport: transport, backgroundActivity: activity)
    #expect(await run(world, hits: 45) == [.good])
    #expect(world.transport.requests.count == 1)
  }

  @Test func `a call without a handler is a plain dispatch and keeps periodic dispatch on`() async {
    let world = MeasurementWorld()
    let gai = world.launch()
    gai.tracker(withTrackingId: "UA-1-1")?.send(["&t": "screenview", "&cd": "Home"])
    gai.dispatch(completionHandler: nil)
    await world.transport.request(number: 1)
    #expect(gai.isDispatchingPeriodically)
    await gai.quit()
  }

  @Test func `an empty queue ends at once`() async {
    #expect(await run(MeasurementWorld(), hits: 0) == [.noData])
  }
}
