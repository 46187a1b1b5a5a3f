import HTTP
package import Ingest

/// The limits and policies of the protocols.
package struct ProtocolSettings: Sendable {
  /// The usual ones: clients with unknown secrets retry later.
  package static let standard = ProtocolSettings()

  /// The limits on native requests.
  package var native = IngestLimits.native
  /// The limits on App Center requests.
  package var appCenter = IngestLimits.appCenter
  /// The limits on Measurement Protocol requests.
  package var measurement = IngestLimits.measurement
  /// The limits on requests of other systems' clients.
  package var clients = IngestLimits.clients
  /// The response to App Center clients with an unknown secret.
  package var unknownSecret = UnknownSecretPolicy.retryLater
}

/// The response to App Center clients with an unknown secret.
package enum UnknownSecretPolicy: String, Sendable, CaseIterable {
  /// 503: the client keeps its events and retries. Stock clients delete their queue on any 4xx, so a secret that the
  /// operator has yet to enter would cost every event collected until then.
  case retryLater = "retry-later"
  /// 401: the client deletes its queue and stops sending until its next launch.
  case reject
  /// 200: the client deletes the events it has sent, and nothing is stored.
  case discard
}
