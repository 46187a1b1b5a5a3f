import TernBase
package import TernEvents

/// The parts of an HTTP response that Tern's protocol reads.
package struct CollectorResponse: Sendable {
  /// The HTTP status.
  package var status: Int
  /// The value of `Retry-After`, if present.
  package var retryAfter: String?
  /// The value of `x-ms-retry-after-ms`, if present.
  package var retryAfterMilliseconds: String?
  /// The value of `Date`, if present: the server's clock, to which a `Retry-After` date refers.
  package var date: String?
  /// The body.
  package var body: [UInt8]

  package init(
    status: Int, retryAfter: String? = nil, retryAfterMilliseconds: String? = nil, date: String? = nil,
    body: [UInt8] = []
  ) {
    self.status = status
    self.retryAfter = retryAfter
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.date = date
    self.body = body
  }

  /// A longer body is not part of this protocol.
  private static let maximumBodyBytes = 1 << 20

  /// Interprets the response to a batch of the given number of events.
  ///
  /// - Parameter now: The device's wall clock, for a `Retry-After` date in a response without `Date`.
  package func outcome(events: Int, now: Timestamp) -> ResponseOutcome {
    switch ResponseClass(status: status) {
    case .success: return acknowledgement(events: events)
    case .unauthorized:
      return failed(
        .unauthorized, "The collector does not accept the key (\(status)). Copy it from the portal again.", now)
    case .tryAgainLater:
      return failed(.server, "The collector answered \(status)\(detail).", now)
    case .tooLarge:
      return .tooLarge(failure(.refused, "The batch is too large for the collector (413)."))
    case .wrongAddress:
      return failed(.notAcknowledged, "No collector at this URL (\(status)\(detail)). Check the URL.", now)
    case .refused:
      return .refused(
        at: named(events: events), failure(.refused, "The collector refused the batch (\(status)\(detail))."))
    }
  }

  private func acknowledgement(events: Int) -> ResponseOutcome {
    let notOurs = ResponseOutcome.failed(
      failure(
        .notAcknowledged,
        "The response (\(status)) is not a collector's; a captive portal or proxy may have intercepted the request."))
    guard body.count <= Self.maximumBodyBytes, let json = JSONReader.read(body), let accepted = json["accepted"]?.index
    else { return notOurs }
    let duplicates = (json["duplicates"]?.elements ?? []).compactMap(\.index)
    let rejected = (json["rejected"]?.elements ?? []).compactMap { $0["index"]?.index }
    // Every event must be accounted for exactly once: an acknowledgement of another batch must not empty this one.
    let named = Set(duplicates + rejected)
    guard named.count == duplicates.count + rejected.count, named.allSatisfy({ $0 < events }),
      accepted + named.count == events
    else { return notOurs }
    return .acknowledged(rejected: rejected.sorted())
  }

  /// The events that an error lists as `indexes` or a single `index`; empty if any is out of range.
  private func named(events: Int) -> [Int] {
    let error = errorBody
    let one = error?["index"]?.index.map { [$0] } ?? []
    let named = Set(error?["indexes"]?.elements.map { $0.compactMap(\.index) } ?? one)
    return named.allSatisfy { $0 < events } ? named.sorted() : []
  }

  private var errorBody: ResponseValue? {
    body.count <= Self.maximumBodyBytes ? JSONReader.read(body)?["error"] : nil
  }

  private var detail: String {
    guard let message = errorBody?["message"]?.text else { return "" }
    let text = message.prefix(utf8Bytes: 200)
    // It becomes part of a sentence.
    return ": \(text.hasSuffix(".") ? text.dropLast() : text[...])"
  }

  private func failure(_ kind: DeliveryError.Code, _ message: String) -> DeliveryError {
    DeliveryError(kind, message, status: status)
  }

  private func failed(_ kind: DeliveryError.Code, _ message: String, _ now: Timestamp) -> ResponseOutcome {
    var failure = failure(kind, message)
    let serverTime = date.flatMap(RetryAfter.date) ?? now
    failure.retryAfter =
      retryAfterMilliseconds.flatMap(RetryAfter.milliseconds)
      ?? retryAfter.flatMap { RetryAfter.parse($0, now: serverTime) }
    return .failed(failure)
  }
}
