import Foundation
import Tern
import TernEvents
import TernLog
import TernMeasurement
import TernTestSupport
import Testing

extension MeasurementWorld {
  /// Creates a client on this world's files, as a launch of the app does.
  func client(
    collector: String? = "http://collector.test", boot: String? = MeasurementWorld.boot
  ) -> MeasurementClient {
    MeasurementClient(
      MeasurementClient.Configuration(
        directory: URL(fileURLWithPath: "/queue"), collector: collector.flatMap(URL.init(string:)), appName: "Test App",
        callback: { body in Task { body() } }, log: { [weak self] level, text in self?.log(level.rawValue, text) }),
      environment: environment(boot: boot))
  }
}

extension MeasurementClient {
  static let tracker = HitComposer.Tracker(trackingID: "UA-1-1")

  /// Records events named after their numbers.
  func sendEvents(_ numbers: some Sequence<Int>, tracker: HitComposer.Tracker = MeasurementClient.tracker) {
    for number in numbers { sendEvent("\(number)", tracker: tracker) }
  }

  func sendEvent(_ label: String, tracker: HitComposer.Tracker = MeasurementClient.tracker) {
    send(tracker, ["&t": .text("event"), "&ec": .text("c"), "&ea": .text("a"), "&el": .text(label)])
  }

  /// Records hits that are exempt from the rate limit.
  func sendItems(_ numbers: some Sequence<Int>) {
    for number in numbers {
      send(Self.tracker, ["&t": .text("item"), "&ti": .text("t"), "&in": .text("i"), "&el": .text("\(number)")])
    }
  }

  /// Sends one request and waits for its result.
  func dispatchOnce() async -> DispatchMachine.Result {
    await withCheckedContinuation { continuation in dispatch { continuation.resume(returning: $0) } }
  }

  /// Sends everything and waits for the result.
  @discardableResult
  func dispatchAll() async -> DispatchMachine.Result {
    await withCheckedContinuation { continuation in dispatchAll { continuation.resume(returning: $0) } }
  }

  var waiting: Int { engine.log.counts.waiting }
  var stored: Int { engine.log.counts.waiting + engine.log.counts.claimed }
  func dropped(_ reason: DropReason) -> Int { engine.log.counts.dropped[reason] ?? 0 }
}

extension Array where Element == [String: String] {
  var labels: [String] { map { $0["el"] ?? "" } }
}

extension MeasurementTransport {
  var labels: [[String]] { requests.map(\.hits.labels) }
}

extension TestClock {
  /// Advances the virtual clock when no timer is due.
  func passQuietly(_ time: Duration, _ client: MeasurementClient) async {
    await client.caughtUp()
    await noTaskSleeping()
    advance(by: time)
    await client.caughtUp()
  }
}
