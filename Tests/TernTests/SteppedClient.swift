import Foundation
import TernBase
import TernDelivery
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

/// A client on an in-memory file system whose delivery loop and clock the test drives. The collector accepts everything
/// unless the test makes it stop responding.
struct SteppedClient {
  struct Effects: DeliveryEffects {
    var sent: [(id: DeliveryMachine.BatchID, records: [LogRecord])] = []
    var timer: Duration?

    mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) { sent.append((id, records)) }
    mutating func cancel(_ id: DeliveryMachine.BatchID) {}
    mutating func finished(_ id: DeliveryMachine.BatchID) {}
    mutating func networkChanged() {}
    mutating func setTimer(_ deadline: Duration?) { timer = deadline }
  }

  let memory: InMemoryFileSystem
  let harness: TestHarness
  let tern: TernClient
  var loop: NativeDeliveryLoop<Effects>
  var wakeUps = 0
  var answers = true
  /// The decoded lines of all requests.
  private(set) var received: [[String: String]] = []

  static let directory = "/queue"

  init(
    on memory: InMemoryFileSystem = InMemoryFileSystem(), _ harness: TestHarness? = nil,
    _ configure: (inout TernClient.Configuration) -> Void = { _ in }
  ) throws {
    self.memory = memory
    self.harness = try harness ?? TestHarness()
    var configuration = TernClient.Configuration(
      key: "test-key", collector: try #require(URL(string: "http://collector.test")))
    configuration.queueDirectory = URL(fileURLWithPath: Self.directory)
    configuration.sessions = .manual
    configure(&configuration)
    var environment = self.harness.environment()
    environment.fileSystem = memory
    let engine = try Engine(configuration, environment)
    tern = TernClient(engine)
    loop = DeliveryLoop(engine, Effects())
    loop.begin()
  }

  /// Runs the loop until it has nothing left to do.
  mutating func work() {
    while true {
      let messages = loop.engine.mailbox.takeAll()
      if !messages.isEmpty { loop.take(messages) }
      let sent = loop.effects.sent
      loop.effects.sent = []
      if messages.isEmpty, sent.isEmpty { return }
      guard answers else { continue }
      for (id, records) in sent {
        received += completeLines(of: NativeCodec.body(of: records)).map(Self.members)
        let body = "{\"accepted\":\(records.count),\"duplicates\":[],\"rejected\":[]}"
        loop.take([.answered(id, .response(TransportResponse(status: 200, body: Array(body.utf8))))])
      }
    }
  }

  mutating func pass(_ time: Duration) {
    let end = harness.clock.uptime + time
    work()
    while let timer = loop.effects.timer, timer <= end {
      harness.clock.advance(by: max(timer - harness.clock.uptime, .zero))
      loop.effects.timer = nil
      wakeUps += 1
      loop.take([.input(.timerFired)])
      work()
    }
    harness.clock.advance(by: end - harness.clock.uptime)
  }

  mutating func flush() async -> FlushOutcome {
    let outcome = Task { [tern] in await tern.flush() }
    while loop.engine.clientState.withLock({ $0.flushes.isEmpty }) { await Task.yield() }
    repeat {
      await Task.yield()
      work()
    } while loop.engine.clientState.withLock { !$0.flushes.isEmpty }
    return await outcome.value
  }

  /// Awaits the receipt in a task and lets the loop handle the request.
  mutating func ask(_ receipt: Receipt) async -> Task<ReceiptError?, Never> {
    let before = loop.engine.clientState.withLock { $0.receipts.ids.count }
    let task = Task { () async -> ReceiptError? in
      do throws(ReceiptError) {
        try await receipt.delivered()
        return nil
      } catch {
        return error
      }
    }
    while loop.engine.clientState.withLock({ $0.receipts.ids.count == before }) { await Task.yield() }
    work()
    return task
  }

  /// Kills the process.
  func kill() { memory.killProcess() }

  var names: [String] { received.filter { $0["type"] == "event" }.compactMap { $0["name"] } }

  private static func members(_ payload: [UInt8]) -> [String: String] {
    let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
    return (object ?? [:]).compactMapValues { $0 as? String }
  }
}

extension InMemoryFileSystem {
  /// As before the first unlock: existing files cannot be opened, and no file can be created.
  func lockUp() {
    setScript { operation in
      switch operation.kind {
      case .open, .makeDirectory: .fail(errno: EPERM)
      default: nil
      }
    }
  }
}
