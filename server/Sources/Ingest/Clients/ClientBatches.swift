import ServerBase
package import TernEvents

extension ClientReading {
  /// The most apps that one request may name.
  static let maximumKeys = 20

  /// The keys that the events name, no more than one too many; that of the request if there are no events.
  package var keys: [String] {
    var keys: [String] = []
    for key in events.lazy.map({ $0.event.key ?? self.key ?? "" }) where keys.last != key {
      if !keys.contains(key) { keys.append(key) }
      if keys.count > Self.maximumKeys { break }
    }
    return keys.isEmpty ? [key ?? ""] : keys
  }

  /// Returns the events of a key as a batch of its app.
  ///
  /// - Parameters:
  ///   - received: When the request had been read.
  ///   - isFirst: True for the batch that has what is not stored.
  package func batch(
    of key: String, app: Int64, source: IngestProtocol, received: Timestamp,
    _ request: ClientRequest, isFirst: Bool
  ) -> IncomingBatch {
    let builder = BatchBuilder(
      source: source, received: received, key: request.key, app: app, limits: request.limits, capacity: events.count)
    let clock = sent.map { EventClock(SentStamp(time: $0), arrived: request.arrived) }
    let sessions = InstallHasher(key: request.key, app: app, install: "")
    var batch = ClientBatch(builder: builder, clock: clock, request: request, sessions: sessions)
    if isFirst { for rejection in rejections { batch.builder.reject(rejection) } }
    for (index, event) in events where event.key ?? self.key ?? "" == key {
      batch.add(event, index: index)
    }
    return batch.builder.batch
  }
}

/// Turns the events of a request into those of an app.
private struct ClientBatch {
  var builder: BatchBuilder
  let clock: EventClock?
  let request: ClientRequest
  /// Hashes the identifiers of sessions alone: whose a session is may be known only in a later update.
  let sessions: InstallHasher

  mutating func add(_ event: ClientEvent, index: Int) {
    let isNamed = event.kind == .event || event.kind == .screen
    guard !event.name.isEmpty || !isNamed else { return builder.reject(Rejection(.nameMissing, index: index)) }
    let time = happened(event)
    if time < builder.window.lowerBound { return builder.reject(Rejection(.timeTooOld, index: index)) }
    let install = builder.install(ClientEvent.installName(event.install))
    builder.append(
      IncomingEvent(
        index: index, kind: event.kind, duplicateKey: duplicateKey(of: event, install: install), time: time,
        install: install, device: builder.device(event.device),
        session: event.session.isEmpty ? 0 : session(event.session, install: install),
        startsSession: event.startsSession, user: event.user, name: event.name,
        properties: Self.fitting(event.properties)))
    guard var error = event.error else { return }
    error.event = builder.batch.events.count - 1
    builder.append(error)
  }

  /// When an event happened, as far as the server can tell.
  private func happened(_ event: ClientEvent) -> Timestamp {
    guard let own = event.time else { return builder.batch.received }
    guard let clock, !clock.isRight else { return own }
    // A client that sends whole seconds would otherwise move an event past its arrival.
    return min(clock.time(own, uptime: nil, isSameBoot: false, window: builder.window).time, request.arrived)
  }

  /// The key by the client's own time: a correction differs from one attempt to the next.
  private func duplicateKey(of event: ClientEvent, install: Int) -> DuplicateKey? {
    let hasher = event.kind == .sessionStart ? sessions : builder.hasher(install: install)
    let type = builder.batch.source.rawValue
    let hash: Int64? = withUTF8(type) { type in
      switch event.identity {
      case .none: return nil
      case .id(let text):
        if let id = UniqueID(text) { return hasher.hash(type: type, id: id) }
        return withUTF8(text) { hasher.hash(type: type, bytes: $0) }
      case .content(let content):
        return withUnsafeBytes(of: content.littleEndian) { hasher.hash(type: type, bytes: $0) }
      }
    }
    // Events without a time are sent again within hours.
    let window: Int64 = 48 * 3_600_000
    let time =
      (event.writtenTime ?? event.time)?.millisecondsSince1970 ?? builder.batch.received.millisecondsSince1970 / window
      * window
    return hash.map { DuplicateKey(milliseconds: time, hash: $0) }
  }

  /// The first properties, as many as an event of Tern's own protocol could have.
  private static func fitting(_ properties: [Properties.Element]) -> [Properties.Element] {
    var room = NativeProtocol.maximumEventBytes
    return Array(
      properties.prefix { property in
        room -= property.name.utf8.count
        if case .string(let text) = property.value { room -= text.utf8.count }
        return room >= 0
      })
  }

  private func session(_ name: String, install: Int) -> Int64 {
    withUTF8(name) { builder.hasher(install: install).session($0) }
  }
}
