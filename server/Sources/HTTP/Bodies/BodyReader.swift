import HTTPTypes
package import Hummingbird
package import NIOCore
package import Warehouse

/// Reads request bodies within the collector's budget and a limit.
package struct BodyReader: Sendable {
  package let gate: AdmissionGate
  package let limits: CollectorLimits
  package let metrics: CollectorMetrics

  package init(gate: AdmissionGate, limits: CollectorLimits, metrics: CollectorMetrics) {
    (self.gate, self.limits, self.metrics) = (gate, limits, metrics)
  }

  /// A body and the room it holds in the budget, until the last copy of this value is released.
  package struct Body: Sendable {
    package var bytes: ByteBuffer
    /// The owners to which decoding is charged.
    package var owners: [RequestOwner]
    package var reservation: AdmissionGate.Reservation
  }

  /// The maximum size of a body, in bytes, that is received and discarded so that the connection can be reused.
  private static let harmlessBytes = 64 << 10

  /// Returns the query of a request that has all of its data in the address, as if it were the body.
  ///
  /// Throws ``APIError`` 503 if the collector is behind.
  package func query(_ request: Request, _ context: CollectorContext) throws -> Body {
    let query = ByteBuffer(string: request.uri.query ?? "")
    let owners = context.owners(app: nil)
    guard let reservation = gate.reserve(query.readableBytes, owners: owners) else {
      metrics.turnedAway()
      throw APIError.behind(retryAfterSeconds: limits.retryAfterSeconds)
    }
    return Body(bytes: query, owners: owners, reservation: reservation)
  }

  /// Reads a complete body. Its bytes count towards the budget as they arrive.
  ///
  /// Throws ``APIError``: 413 for a body above the limit and 503 if the collector is behind, both before reading the
  /// body if its length was declared; 400 for a truncated body.
  package func read(_ request: Request, _ context: CollectorContext, app: AppID? = nil, limit: Int) async throws -> Body
  {
    let declared = request.headers[.contentLength].flatMap { Int($0) }
    if let declared, declared > limit { throw APIError.tooLarge(limit: limit) }
    let owners = context.owners(app: app)
    let channel = context.channel
    guard
      let reservation = gate.begin(
        declared: declared, owners: owners, abort: { channel.close(promise: nil) })
    else {
      metrics.turnedAway()
      throw Self.closingUnlessHarmless(.behind(retryAfterSeconds: limits.retryAfterSeconds), request)
    }
    if request.headers[.expect] != nil {
      channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(), promise: nil)
    }
    let bytes = try await receive(request.body, declared: declared, limit: limit, reservation)
    reservation.complete()
    return Body(bytes: bytes, owners: owners, reservation: reservation)
  }

  /// Throws ``APIError``: 413 above the limit, 503 if there is no room, 400 if the client disconnects early, which is
  /// not worth a line in the operator's log.
  private func receive(
    _ body: RequestBody, declared: Int?, limit: Int, _ reservation: AdmissionGate.Reservation
  ) async throws(APIError) -> ByteBuffer {
    var bytes = ByteBuffer()
    var parts = body.makeAsyncIterator()
    while true {
      let next: ByteBuffer?
      do { next = try await parts.next() } catch { throw ended(reservation) }
      guard var part = next else { break }
      guard part.readableBytes <= limit - bytes.readableBytes else { throw .tooLarge(limit: limit) }
      guard reservation.grow(by: part.readableBytes) else { throw noRoom }
      if bytes.readableBytes == 0, declared == part.readableBytes { bytes = part } else { bytes.writeBuffer(&part) }
    }
    if let declared, bytes.readableBytes < declared { throw ended(reservation) }
    return bytes
  }

  private func ended(_ reservation: AdmissionGate.Reservation) -> APIError {
    reservation.isAborted ? noRoom : .incomplete
  }

  /// The error for a partially read body.
  private var noRoom: APIError {
    metrics.turnedAway()
    var error = APIError.behind(retryAfterSeconds: limits.retryAfterSeconds)
    error.headers[.connection] = "close"
    return error
  }

  /// Returns an error thrown before the body was read. If the body is large or of unknown length, the response also
  /// closes the connection instead of receiving the rest in vain.
  package static func closingUnlessHarmless(_ error: APIError, _ request: Request) -> APIError {
    let isBodyless = request.method == .get || request.method == .head
    let declared = request.headers[.contentLength].flatMap { Int($0) } ?? (isBodyless ? 0 : .max)
    guard declared > harmlessBytes else { return error }
    var error = error
    error.headers[.connection] = "close"
    return error
  }
}
