import TernEvents

/// An error of Sentry's clients, or a message.
enum SentryEvent {
  static func read(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members(
      "event_id", "timestamp", "exception", "message", "logentry", "threads", "debug_meta", "tags", "extra", "user",
      "release",
      "contexts", "sdk", "fingerprint", "dist")
    // Some older clients' performance data has this item's type.
    if json.member("type").map({ equals($0.bytes, "\"transaction\"") }) ?? false { return .failure(.unsupported) }
    var (exception, isHandled) = chain(members[2])
    if exception.type.isEmpty, !exception.message.isEmpty || !exception.frames.isEmpty { exception.type = "Error" }
    if exception.type.isEmpty {
      let text = members[4]?.member("formatted") ?? members[4]?.member("message") ?? members[3]
      exception.type = "Message"
      exception.message = text?.lenientText(limit: 8 << 10) ?? ""
      isHandled = true
    }
    if exception.frames.isEmpty {
      var stack: RawJSON?
      values(members[5]) { stack = stack ?? $0.member("stacktrace") }
      exception.addFrames(stack?.member("frames"))
    }
    exception.addImages(members[6]?.member("images"))
    exception.fingerprint = fingerprint(members[13])

    let id = identifier(members[0])
    var event = ClientEvent(isHandled ? .handledError : .crash, exception.type)
    event.error = exception.incoming(id: id)
    event.time = members[1]?.time
    event.identity = id.isEmpty ? request.identity(of: json) : .id(id)
    event.user = members[9]?.member("id")?.identifier(limit: limits.maximumNameBytes) ?? ""
    event.install = event.user
    event.device = device(release: members[10], contexts: members[11], sdk: members[12], dist: members[14], limits)
    event.properties = properties(tags: members[7], extra: members[8], limits)
    return .success(event)
  }

  /// Returns an identifier as a UUID, since clients write it with hyphens and without.
  static func identifier(_ value: RawJSON?) -> String {
    let text = value?.identifier() ?? ""
    let digits = Array(text.filter { $0 != "-" }.utf8)
    guard digits.count == 32 else { return text }
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
    return UniqueID(parts.joined(separator: "-"))?.description ?? text
  }

  /// Reads the exceptions, of which the one that was raised is last, in any of three forms.
  private static func chain(_ json: RawJSON?) -> (ClientException, isHandled: Bool) {
    var exceptions: [ClientException] = []
    var isHandled = true
    values(json) { value in
      let members = value.members("type", "value", "module", "stacktrace", "mechanism")
      var exception = ClientException(
        type: members[0]?.lenientText(limit: 512) ?? "", message: members[1]?.lenientText(limit: 8 << 10) ?? "")
      exception.addFrames(members[3]?.member("frames"))
      if members[4]?.member("handled").map({ equals($0.bytes, "false") }) ?? false { isHandled = false }
      exceptions.append(exception)
    }
    return (ClientException(chain: exceptions.suffix(ClientException.maximumCauses).reversed()), isHandled)
  }

  /// Passes the elements of a list, of an object's `values`, or the object itself.
  private static func values(_ json: RawJSON?, _ body: (RawJSON) -> Void) {
    guard let json else { return }
    if let list = json.isList ? json : json.member("values") {
      list.forEachElement(atMost: 64, body)
    } else if json.isObject {
      body(json)
    }
  }

  private static func fingerprint(_ json: RawJSON?) -> String {
    var parts: [String] = []
    json?.forEachElement(atMost: 16) { parts.append($0.lenientText(limit: 256)) }
    // The default grouping has this name.
    return parts.contains("{{ default }}") ? "" : parts.joined(separator: " ")
  }

  /// Tags, an object or a list of pairs, and further values, but for all environment variables, which hold passwords.
  private static func properties(tags: RawJSON?, extra: RawJSON?, _ limits: IngestLimits) -> [Properties.Element] {
    var properties = tags?.properties(limits) ?? []
    tags?.forEachElement(atMost: limits.maximumProperties) { pair in
      var parts: [RawJSON] = []
      pair.forEachElement(atMost: 2) { parts.append($0) }
      guard parts.count == 2, let value = parts[1].property(limit: limits.maximumValueBytes) else { return }
      properties.append(.init(name: parts[0].name(limits), value: value))
    }
    let room = max(limits.maximumProperties - properties.count, 0)
    return properties + (extra?.properties(limits) { $0 != "environ" }.prefix(room) ?? [])
  }

  /// A release such as `shop@1.2.0+44` names the app's version and build.
  static func device(
    release: RawJSON?, contexts: RawJSON?, sdk: RawJSON?, dist: RawJSON? = nil, _ limits: IngestLimits
  ) -> IncomingDevice {
    let facts = contexts?.members("os", "device", "app", "culture") ?? []
    func text(_ index: Int, _ name: StaticString) -> String {
      facts.isEmpty ? "" : facts[index]?.member(name)?.name(limits) ?? ""
    }
    let name = release?.name(limits) ?? ""
    let version = name.split(separator: "@", maxSplits: 1).last.map(String.init) ?? name
    let parts = version.split(separator: "+", maxSplits: 1)
    let build = dist?.name(limits) ?? parts.dropFirst().first.map(String.init) ?? text(2, "app_build")
    let locale = text(3, "locale")
    return IncomingDevice(
      osName: text(0, "name"), osVersion: text(0, "version"), model: text(1, "model"), locale: locale,
      country: region(ofLocale: locale), appVersion: parts.first.map(String.init) ?? text(2, "app_version"),
      appBuild: build,
      sdkName: sdk?.member("name")?.name(limits) ?? "", sdkVersion: sdk?.member("version")?.name(limits) ?? "")
  }
}
