import TernEvents

/// An event of PostHog.
enum PostHogEvent {
  private static let aliases: Set<String> = ["$create_alias", "$merge_dangerously"]
  private static let personEvents = aliases.union(["$identify", "$set", "$set_once", "$groupidentify"])

  static func read(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members(
      "event", "uuid", "timestamp", "distinct_id", "properties", "$set", "$set_once", "options", "session_id")
    let name = members[0]?.name(limits) ?? ""
    let properties = members[4]
    let facts =
      properties?.members(
        "distinct_id", "$device_id", "$process_person_profile", "$session_id", "$screen_name", "$pathname",
        "$current_url",
        "$anon_distinct_id", "alias", "$set", "$set_once",
        "$group_set") ?? []
    func fact(_ index: Int) -> RawJSON? { facts.isEmpty ? nil : facts[index] }

    var event: ClientEvent
    switch name {
    case "$pageview", "$screen":
      event = ClientEvent(.screen, (fact(4) ?? fact(5) ?? fact(6))?.name(limits) ?? name)
    case "$exception": event = ClientEvent(.handledError, name)
    case _ where personEvents.contains(name): event = ClientEvent(.personRecord, String(name.dropFirst()))
    case _ where name.hasPrefix("$"): return .failure(.unsupported)
    default: event = ClientEvent(.event, name)
    }
    event.properties =
      properties?.properties(limits) {
        ["$group_type", "$group_key"].contains($0) || !$0.hasPrefix("$") && $0 != "distinct_id" && $0 != "token"
      } ?? []
    if event.kind == .personRecord {
      event.addProperties(of: [members[5], members[6], fact(9), fact(10), fact(11)], limits)
    }
    event.time = members[2]?.time
    event.session = (fact(3) ?? members[8])?.identifier() ?? ""

    let person = (members[3] ?? fact(0))?.identifier(limit: limits.maximumNameBytes) ?? ""
    let install = (fact(7) ?? fact(1))?.identifier() ?? ""
    let profile = fact(2) ?? members[7]?.member("process_person_profile")
    // A random identifier that was made for this event alone is no person.
    let isPersonless = profile.map { equals($0.bytes, "false") } ?? false || name == "$groupidentify"
    event.install = isPersonless || !install.isEmpty ? install : person
    event.user = isPersonless || person == install ? "" : person
    if aliases.contains(name) {
      event.join(person.isEmpty ? nil : person, with: fact(8)?.identifier(limit: limits.maximumNameBytes))
    }

    event.identity =
      members[1]?.identifier().map { .id($0) }
      ?? request.identity(of: members[3], members[0], members[2], properties)
    event.device = device(properties, request)
    if name == "$exception", let properties {
      let error = exception(properties)
      event.name = error.type.isEmpty ? "Exception" : error.type
      event.error = error.incoming(id: members[1]?.identifier() ?? "")
    }
    return .success(event)
  }

  /// An exception with its causes; the outermost is first, and frames are outermost first.
  private static func exception(_ properties: RawJSON) -> ClientException {
    var exceptions: [ClientException] = []
    properties.member("$exception_list")?.forEachElement(atMost: ClientException.maximumCauses) { json in
      var exception = ClientException(
        type: json.member("type")?.lenientText(limit: 512) ?? "",
        message: json.member("value")?.lenientText(limit: 8 << 10) ?? "")
      exception.addFrames(json.member("stacktrace")?.member("frames"))
      exceptions.append(exception)
    }
    var outermost = ClientException(chain: exceptions)
    outermost.addImages(properties.member("$debug_images"))
    return outermost
  }

  private static func device(_ properties: RawJSON?, _ request: ClientRequest) -> IncomingDevice {
    let facts =
      properties?.members(
        "$os", "$os_version", "$device_model", "$app_version", "$app_build", "$lib", "$lib_version", "$locale",
        "$geoip_country_code") ?? []
    func text(_ index: Int) -> String { facts.isEmpty ? "" : facts[index]?.name(request.limits) ?? "" }
    let sdk = (request.header("posthog-sdk-info") ?? "").split(separator: "/", maxSplits: 1)
    let country = countryCode(text(8))
    return IncomingDevice(
      osName: text(0), osVersion: text(1), model: text(2), locale: text(7),
      country: country.isEmpty ? region(ofLocale: text(7)) : country, appVersion: text(3), appBuild: text(4),
      sdkName: text(5).isEmpty ? sdk.first.map(String.init) ?? "" : text(5),
      sdkVersion: text(6).isEmpty ? sdk.dropFirst().first.map(String.init) ?? "" : text(6))
  }
}
