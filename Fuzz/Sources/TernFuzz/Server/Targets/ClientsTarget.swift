import Ingest
import TernEvents
import Warehouse

extension FuzzTarget {
  /// Requests of other systems' clients, without compression: `!path` and `!query` are their address, other headers as clients send
  /// them.
  static var clients: FuzzTarget {
    let check = BatchCheck(clientBatches)
    let mutator = TextMutator.json(names: ClientVocabulary.names, values: ClientVocabulary.values)
    return FuzzTarget(changes: 8, mutator: mutator) {
      check.add($0)
    } finish: {
      check.finish()
    }
  }

  /// Reads a request as the collector does, and answers it.
  static func clientBatches(_ input: UnsafeRawBufferPointer, _ received: Timestamp) -> [IncomingBatch] {
    let text = RequestText(input)
    let headers = text.headers
    let path = "/" + (text.header("path") ?? "").split(separator: "/").joined(separator: "/")
    let request = ClientRequest(
      path: path, query: text.header("query") ?? "", arrived: received, key: key, sender: "192.0.2.1"
    ) { headers[$0] }
    let candidates = ClientProtocols.all.filter { $0.routes.contains { matches($0.path, path) } }
    guard let client = candidates.first(where: { candidates.count == 1 || $0.recognizes(text.body) }) else { return [] }
    do throws(IngestError) {
      let reading = try client.read(text.body, request)
      _ = client.answer(.stored(reading), to: request)
      return reading.keys.enumerated().map { index, key in
        let batch = reading.batch(
          of: key, app: StoredViews.app.rawValue, source: client.source, received: received, request,
          isFirst: index == 0)
        for event in batch.events { check(event, received) }
        return batch
      }
    } catch {
      _ = client.answer(
        .failed(status: 400, code: error.code.rawValue, message: error.message, retryAfterSeconds: nil), to: request)
      return []
    }
  }

  private static func matches(_ route: String, _ path: String) -> Bool {
    let (parts, own) = (route.split(separator: "/"), path.split(separator: "/"))
    return parts.count == own.count && zip(parts, own).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
  }

  /// Checks each event, however its client's clock and numbers are.
  private static func check(_ event: IncomingEvent, _ received: Timestamp) {
    let limits = IngestLimits.clients
    precondition(event.time <= received + limits.maximumLead, "an event from the future")
    precondition(event.time >= received - limits.maximumAge, "an event that is too old")
    precondition(event.properties.count <= limits.maximumProperties + 10, "too many properties")
    for case .double(let number) in event.properties.map(\.value) { precondition(number.isFinite, "no number") }
  }
}

/// The members of other systems' events.
enum ClientVocabulary {
  static let names =
    """
    batch type event name category messageId timestamp originalTimestamp sentAt userId anonymousId previousId groupId traits \
    properties context library os device app locale writeKey uuid distinct_id api_key sent_at $set $set_once options session_id \
    process_person_profile $process_person_profile $session_id $device_id $anon_distinct_id alias $exception_list $debug_images \
    value stacktrace frames function filename abs_path module lineno instruction_addr image_addr image_size code_id debug_id \
    token time $insert_id $distinct_ids $token $distinct_id $time $group_id $group_key events event_type insert_id user_id \
    device_id event_properties user_properties $price $quantity data e aid eid dtm ttm stm duid uid sid se_ac se_va ue_pr ue_px \
    params timestamp_micros client_id payload website title url id domain props eventName sessionId systemProps requests \
    event_id exception values mechanism handled message logentry formatted threads debug_meta images tags extra environ user \
    release fingerprint dist length items aggregates started exited errored crashed attrs resourceLogs resource scopeLogs \
    logRecords timeUnixNano observedTimeUnixNano attributes key stringValue intValue doubleValue arrayValue kvlistValue \
    exceptions errorClass unhandled session metaData groupingHash sessionCounts startedAt sessionsStarted
    """.split(separator: " ").map(String.init)

  static let values =
    [
      "track", "identify", "page", "screen", "alias", "group", "$identify", "$create_alias", "$exception", "$pageview",
      "$merge", "pv", "se", "ue", "pp", "session", "sessions", "log", "transaction", "client_report", "pageview", "nan",
      "inf", "2026-02-02T11:00:00.000000+02:00", "2026-02-02T11:00:00Z", "1770030000", "1770030000000", "0x1000", "",
      "7",
      "177003000012345678", "{{ default }}", "eyJkYXRhIjp7fX0=",
    ].map { "\"\($0)\"" } + [
      "{}", "[]", "null", "true", "false", "NaN", "-Infinity", "1770030000.25", "1770030000000",
      "10000000000000000000000000",
      "[{}]", "]}", "[[[[",
    ]
}
