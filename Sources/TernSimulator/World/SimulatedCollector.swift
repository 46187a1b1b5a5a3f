import Tern
import TernBase
import TernEvents
import TernTestSupport

/// A collector that parses real requests, deduplicates events by identifier, and can fail.
struct SimulatedCollector {
  /// The current behaviour.
  enum Mode: Equatable {
    case healthy
    /// Responds to every request with this status.
    case failing(status: Int)
    /// Responds with this status and asks for a wait.
    case throttling(status: Int, wait: Duration, form: WaitForm)
    /// Rejects every request, as no working collector does.
    case refusing
    /// A captive portal responds 200.
    case portal
    /// An intermediary responds with the acknowledgement of another batch.
    case confused
  }

  /// The form of a `Retry-After` wait.
  enum WaitForm: Equatable { case seconds, date, milliseconds }

  /// The meaning of a response by the protocol, independent of the client's interpretation, which is under test.
  enum Reply: Equatable {
    case acknowledged(rejected: [Int])
    /// A permanent rejection of the events at these indexes, or of the batch if none are named.
    case refused(at: [Int])
    case failed(wait: Duration?)
  }

  struct Exchange {
    var reply: Reply
    var response: TransportResponse
    /// The events in the request, and true for those that are in the report now.
    var events: [(event: ReadEvent, isStored: Bool)] = []
    var duplicates = 0
    /// The problem, if the request is invalid.
    var problem: String?
  }

  static let key = "simulated"

  var mode = Mode.healthy
  let refusal: RefusalStyle
  let maximumBodyBytes: Int
  let gatewayStatus: Int?
  /// The identifiers of events in the report.
  private(set) var report: Set<String> = []

  init(_ traits: NetworkTraits) {
    refusal = traits.refusal
    maximumBodyBytes = traits.maximumBodyBytes
    gatewayStatus = traits.gatewayStatus
  }

  mutating func receive(_ request: TransportRequest, at time: Timestamp) -> Exchange {
    if let gatewayStatus, request.body.isEmpty {
      let isRefusal = [400, 411].contains(gatewayStatus)
      return Exchange(
        reply: isRefusal ? .refused(at: []) : .failed(wait: nil), response: TransportResponse(status: gatewayStatus))
    }
    switch mode {
    case .healthy: return store(request, at: time)
    case .failing(let status):
      return Exchange(reply: .failed(wait: nil), response: TransportResponse(status: status))
    case .throttling(let status, let wait, let form):
      return Exchange(
        reply: .failed(wait: wait), response: TransportResponse(status: status, headers: headers(wait, form, at: time)))
    case .refusing:
      return Exchange(reply: .refused(at: []), response: TransportResponse(status: 400))
    case .portal:
      let page = "<html><body>Welcome to the hotel's network. Please sign in.</body></html>"
      return Exchange(
        reply: .failed(wait: nil),
        response: TransportResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array(page.utf8)))
    case .confused:
      return Exchange(reply: .failed(wait: nil), response: Self.acknowledgement(accepted: 1_000_000, [], []))
    }
  }

  private func headers(_ wait: Duration, _ form: WaitForm, at time: Timestamp) -> [String: String] {
    let seconds = wait.components.seconds
    switch form {
    case .seconds: return ["Retry-After": "\(seconds)"]
    case .date: return ["Date": time.httpDate, "Retry-After": (time + .seconds(seconds)).httpDate]
    case .milliseconds: return ["x-ms-retry-after-ms": "\(seconds * 1000)"]
    }
  }

  private mutating func store(_ request: TransportRequest, at time: Timestamp) -> Exchange {
    guard request.headers["Tern-Key"] == Self.key else { return rejected("The key is missing.") }
    let isPacked = request.headers["Content-Encoding"] == "gzip"
    guard let body = isPacked ? gunzip(request.body) : request.body else { return rejected("The body is not gzip.") }
    if body.count > maximumBodyBytes {
      return Exchange(reply: .refused(at: []), response: TransportResponse(status: 413))
    }
    guard let events = EventReader.read(body) else { return rejected("The body is not one event per line.") }
    if events.count > NativeProtocol.maximumEvents { return rejected("\(events.count) events.") }
    if refusal != .inAnswer, let first = events.firstIndex(where: { $0.name == DeviceUse.poison }) {
      if refusal == .wholeBatch {
        return Exchange(reply: .refused(at: []), response: TransportResponse(status: 422))
      }
      let all = events.indices.filter { events[$0].name == DeviceUse.poison }
      let named = refusal == .byIndex ? "\"index\":\(first)" : "\"index\":\(first),\"indexes\":\(all)"
      let body = "{\"error\":{\"code\":\"malformed\",\"message\":\"no\",\"position\":0,\(named)}}"
      return Exchange(
        reply: .refused(at: refusal == .byIndex ? [first] : all),
        response: TransportResponse(status: 400, body: Array(body.utf8)))
    }
    return commit(events, events.indices.filter { isUnwanted(events[$0], at: time) })
  }

  private mutating func commit(_ events: [ReadEvent], _ unwanted: [Int]) -> Exchange {
    let refused = Set(unwanted)
    var stored: [(ReadEvent, Bool)] = []
    var duplicates: [Int] = []
    for (index, event) in events.enumerated() {
      if !refused.contains(index), !report.insert(event.id).inserted { duplicates.append(index) }
      stored.append((event, !refused.contains(index)))
    }
    let accepted = events.count - duplicates.count - unwanted.count
    return Exchange(
      reply: .acknowledged(rejected: unwanted),
      response: Self.acknowledgement(accepted: accepted, duplicates, unwanted), events: stored,
      duplicates: duplicates.count)
  }

  /// Returns true if a real collector would reject the event: it is faulty, or its clock is far off.
  private func isUnwanted(_ event: ReadEvent, at time: Timestamp) -> Bool {
    if event.name == DeviceUse.poison { return true }
    guard let claimed = event.time else { return true }
    let age = time.since(claimed)
    return age > .seconds(400 * 86_400) || age < .seconds(-3 * 86_400)
  }

  private func rejected(_ problem: String) -> Exchange {
    Exchange(reply: .refused(at: []), response: TransportResponse(status: 400), problem: problem)
  }

  private static func acknowledgement(accepted: Int, _ duplicates: [Int], _ rejected: [Int]) -> TransportResponse {
    let reasons = rejected.map { "{\"index\":\($0),\"reason\":\"name_missing\"}" }.joined(separator: ",")
    let body = "{\"accepted\":\(accepted),\"duplicates\":\(duplicates),\"rejected\":[\(reasons)]}"
    return TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
  }
}

extension Timestamp {
  /// The time in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
  var httpDate: String {
    let days = Int(secondsSince1970 / 86_400)
    let second = Int(secondsSince1970 % 86_400)
    let date = CivilDate(daysSince1970: days)
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(weekdays[days % 7]), \(two(date.day)) \(months[date.month - 1]) \(date.year) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
