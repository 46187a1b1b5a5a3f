import Foundation
package import Tern
import TernBase
package import TernDelivery
import TernLog
package import TernValues

/// The destination of hits and its protocol.
struct Destination: Sendable {
  var collector: URL?
  /// The Google Analytics 4 property that hits are translated for, if any.
  var ga4: GA4Property?
  /// True if hits are removed from the queue without being sent.
  var isDryRun = false
}

/// The codec of the Measurement Protocol, version 1 or GA4.
final class HitCodec: WireCodec {
  let destination: Locked<Destination>
  private let engine: Engine
  private let boot: UniqueID?
  private let userAgent: String
  private let timeout: Duration
  private let log: @Sendable (MeasurementLogLevel, String) -> Void
  private let hasWarned = Locked(false)

  init(_ engine: Engine, _ configuration: MeasurementClient.Configuration) {
    self.engine = engine
    destination = Locked(Destination(collector: configuration.collector))
    boot = engine.environment.boot.flatMap { UniqueID($0) }
    userAgent = AutomaticFields.userAgent(of: engine.environment.device())
    timeout = configuration.requestTimeout
    log = configuration.log
  }

  var reportsDrops: Bool { false }

  func plan(for records: [LogRecord]) -> RequestPlan {
    if destination.withLock({ $0.isDryRun }) {
      for record in records { log(.info, "Dry run, not sent: \(String(decoding: record.payload, as: UTF8.self))") }
      return .drop(.dryRun)
    }
    if let hits = hitRequest(for: records)?.hits { return .send(hits) }
    if hasWarned.withLock({ wasWarned in
      defer { wasWarned = true }
      return !wasWarned
    }) {
      log(
        .warning,
        "Hits are waiting because there is no collector. Set GAI.sharedInstance().collector, TernCollector in "
          + "Info.plist, or the environment variable TERN_COLLECTOR to the URL of a collector.")
    }
    // Pause until the destination changes, so that no timer wakes the app for nothing.
    engine.setPaused(true, for: .noCollector)
    return .unavailable(DeliveryError(.offline, "There is no collector."))
  }

  func request(for records: [LogRecord]) -> TransportRequest? {
    guard let request = hitRequest(for: records) else { return nil }
    // The URL of a POST may contain a secret.
    let (method, url) = (request.request.method, request.request.url)
    let address = method == .get ? url.absoluteString : url.path
    log(.verbose, "Sending hit(s) \(method.rawValue): \(address) (\(request.hits))")
    return request.request
  }

  private func hitRequest(for records: [LogRecord]) -> HitRequest? {
    let destination = destination.withLock { $0 }
    guard let collector = destination.collector, collector.isUsableCollector else { return nil }
    let clock = engine.environment.clock
    let time = QueueTime(wallTime: clock.wallTime, uptime: clock.uptime, boot: boot)
    if let ga4 = destination.ga4 {
      return HitRequest(records, to: collector, of: ga4, at: time, userAgent: userAgent, timeout: timeout)
    }
    return HitRequest(records, to: collector, at: time, userAgent: userAgent, timeout: timeout)
  }

  func outcome(of result: TransportResult, for records: [LogRecord], now: Timestamp) -> ResponseOutcome {
    switch result {
    case .response(let response) where (200..<300).contains(response.status):
      log(.verbose, "Hit(s) dispatched: HTTP status \(response.status), \(records.count) hit(s) sent")
    case .response(let response):
      log(.warning, "The collector answered \(response.status); the hits are kept.")
    case .failure(let failure): log(.info, "The hits are kept: \(failure.message)")
    }
    return ResponseOutcome(ofHits: result, now: now)
  }
}

extension ResponseOutcome {
  /// Interprets the response to a Measurement Protocol request, which succeeds or fails as a whole.
  package init(ofHits result: TransportResult, now: Timestamp) {
    switch result {
    case .failure(let failure): self = .failed(DeliveryError(failure))
    case .response(let response):
      let failure = DeliveryError(
        .server, "The collector answered \(response.status).", status: response.status,
        retryAfter: response.retryAfter(now))
      switch ResponseClass(status: response.status) {
      // An HTML page is not an acknowledgement: it is most likely a captive portal.
      case .success: self = response.isPage ? .failed(failure) : .acknowledged(rejected: [])
      case .unauthorized, .wrongAddress, .tryAgainLater: self = .failed(failure)
      case .tooLarge, .refused: self = .refused(at: [], failure)
      }
    }
  }
}

extension TransportResponse {
  fileprivate var isPage: Bool {
    if let type = headers["content-type"]?.lowercased(), type.hasPrefix("text/html") { return true }
    return body.first { $0 > 0x20 } == UInt8(ascii: "<")
  }

  fileprivate func retryAfter(_ now: Timestamp) -> Duration? {
    headers["retry-after"].flatMap { RetryAfter.parse($0, now: headers["date"].flatMap(RetryAfter.date) ?? now) }
  }
}

extension DropReason {
  /// The app exceeded the rate limit.
  package static let rateLimited = DropReason("rate_limited")
  /// The client is not in the sample.
  package static let sampledOut = DropReason("sampled_out")
  /// The hit has no type.
  package static let invalid = DropReason("invalid")
  /// The hit was removed by a dry run.
  package static let dryRun = DropReason("dry_run")
}
