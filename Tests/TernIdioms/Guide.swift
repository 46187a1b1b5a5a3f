import Foundation
import Tern

// What the guide shows (Sources/Tern/Tern.docc), in an app that imports nothing else of Tern's.

func gettingStarted(category: String, seconds: Double, added: Date) async throws -> TernClient {
  guard let collector = URL(string: "https://analytics.example.com") else { throw URLError(.badURL) }
  let tern = try TernClient(key: "tern_…", collector: collector)
  tern.track("Video clicked", ["Category": category, "Length": seconds, "Added": added, "HD": true, "Parts": 3])
  tern.screen("Library")
  tern.identify("user-7")
  switch await tern.flush(deadline: .seconds(10)) {
  case .sent(let count): print("\(count) events delivered")
  case .nothingToSend: print("nothing was waiting")
  case .offline: print("no network; events are queued")
  case .failed(let error): print(error, error.code == .unauthorized, error.status ?? 0, error.retryAfter ?? .zero)
  case .outOfTime(let left): print("\(left) events are still queued or in flight")
  }
  return tern
}

func valuesThatAppsMake(_ tern: TernClient) {
  var properties: Properties = ["Category": "Music", "HD": true]
  properties["Length"] = .double(12.5)
  properties["Since"] = .date(Timestamp(millisecondsSince1970: 0))
  let shared: [String: any PropertyConvertible] = ["Title": "x"[...], "Count": UInt8(1)]
  tern.track("Video clicked", properties)
  tern.track("Video clicked", Properties(shared))
}

func confirmation(_ tern: TernClient) async throws {
  let receipt = tern.track("Purchase", ["Total": 9.99], priority: .critical)
  try await receipt.delivered()
}

func errors(_ tern: TernClient, _ error: any Error) {
  tern.step("Opened checkout")
  tern.record(error, ["Screen": "Library"], attachments: [.init(name: "log", text: "x")])
  tern.record(ExceptionFacts(type: "Broken", frames: [.init(methodName: "play", lineNumber: 7)]))
}

func switches(_ tern: TernClient) {
  tern.pause()
  tern.resume()
  tern.isEnabled = false
  tern.allowsRequests = false
  tern.setRecording(false, of: .usage)
  tern.reset()
  tern.erase()
}

func configuration() throws -> TernClient {
  var configuration = TernClient.Configuration(key: "tern_…")
  configuration.startsPaused = true
  configuration.durability = .onBackgroundAndCritical
  configuration.sessions = .manual
  return try TernClient(configuration)
}

func status(_ tern: TernClient) async {
  let ledger = tern.ledger
  print(ledger.balances, ledger.droppedByReason[.queueFull] ?? 0)
  for await status in tern.statusUpdates where status.lastError?.code == .offline { return }
}

func background(_ tern: TernClient) async {
  tern.didEnterBackground()
  print(await tern.sendInBackground(deadline: .seconds(20)))
  tern.willEnterForeground()
  await tern.shutdown()
}

/// A transport of the app's own.
struct Offline: Transport {
  func send(_ request: TransportRequest) async -> TransportResult {
    if request.method == .get { return .response(TransportResponse(status: 200)) }
    return .failure(TransportFailure(.offline, "There is no network."))
  }
}
