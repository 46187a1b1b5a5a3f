import TernBase
import TernEvents

/// Aptabase's API.
struct AptabaseProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "aptabase")
  let title = "Aptabase"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let key = target.key(or: "A-SH-KEY") { $0.hasPrefix("A-") }
    return [
      ClientSetup(
        "Aptabase for Python", "Aptabase(\(key.inDoubleQuotes), base_url=\(target.address.inDoubleQuotes))",
        note: "Takes only keys that begin with A-EU-, A-US- or A-SH-: add one to the app’s write keys.")
    ]
  }

  var routes: [ClientRoute] { ["/api/v0/events", "/api/v0/event"].map { .post($0) } }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      var reading = ClientReading(key: request.header("app-key"))
      var items: [RawJSON] = []
      if json.isObject { items = [json] }
      json.forEachElement(atMost: request.mostRecords) { items.append($0) }
      let offsets = Self.offsets(of: items, arrived: request.arrived)
      for item in items { reading.add(Self.event(item, offsets, request)) }
      return reading
    }
  }

  private static func event(
    _ json: RawJSON, _ offsets: [String: Duration], _ request: ClientRequest
  ) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members("timestamp", "sessionId", "eventName", "systemProps", "props")
    let system =
      members[3]?.members(
        "locale", "osName", "osVersion", "deviceModel", "appVersion", "appBuildNumber", "sdkVersion") ?? []
    func text(_ index: Int) -> String { system.isEmpty ? "" : system[index]?.name(limits) ?? "" }
    var event = ClientEvent(.event, members[2]?.name(limits) ?? "")
    event.properties = members[4]?.properties(limits) ?? []
    event.session = members[1]?.identifier() ?? ""
    event.install = event.session
    event.writtenTime = members[0]?.time
    event.time = event.writtenTime.map { $0 - (offsets[event.session] ?? .zero) }
    // The time as sent: its correction may differ from one attempt to the next.
    event.identity = request.identity(of: members[0], members[1], members[2], members[4])
    let sdk = text(6).split(separator: "@", maxSplits: 1)
    event.device = IncomingDevice(
      osName: text(1), osVersion: text(2), model: text(3), locale: text(0), country: region(ofLocale: text(0)),
      appVersion: text(4), appBuild: text(5), sdkName: sdk.first.map(String.init) ?? "",
      sdkVersion: sdk.dropFirst().first.map(String.init) ?? "")
    return .success(event)
  }

  /// The offsets from UTC of the local times that the client marks as UTC, by session.
  ///
  /// Offsets are quarters of an hour, and a client sends within a minute: the latest event of a session is taken for one that has just
  /// happened. The second of the session's beginning, which its identifier has, doesn't help where the request lacks its first event,
  /// and a later one may lie whole quarters after it by chance.
  private static func offsets(of items: [RawJSON], arrived: Timestamp) -> [String: Duration] {
    var latest: [String: Int64] = [:]
    for item in items {
      guard let session = item.member("sessionId")?.identifier(), let time = item.member("timestamp")?.time else {
        continue
      }
      latest[session] = max(latest[session] ?? .min, time.millisecondsSince1970)
    }
    let (quarter, most): (Int64, Int64) = (900_000, 14 * 3_600_000)
    return latest.compactMapValues { time in
      let offset = rounded(time.subtractingSaturated(arrived.millisecondsSince1970), to: quarter)
      return abs(offset) <= most ? .milliseconds(offset) : nil
    }
  }

  private static func rounded(_ value: Int64, to unit: Int64) -> Int64 {
    let limited = min(max(value, -1 << 52), 1 << 52)
    return Int64((Double(limited) / Double(unit)).rounded()) * unit
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    // A client sends what is refused again for ever, and everything after it waits.
    case .stored, .unknownKey, .failed(_, _, _, nil): ClientAnswer(200, json: "{}")
    case .failed(let status, let code, let message, let delay): .error(status, code, message, retryAfterSeconds: delay)
    }
  }
}
