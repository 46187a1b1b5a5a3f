import TernEvents
import TernMeasurement

@testable import Tern
@testable import TernDelivery

extension FuzzTarget {
  /// Responses as devices read them: headers, the status in one of them, and the body, in each of the protocols.
  static var responses: FuzzTarget {
    FuzzTarget(mutator: .json(names: ResponseVocabulary.names, values: ResponseVocabulary.values)) { input in
      let request = RequestText(input)
      let status = request.header("status").flatMap { Int($0) } ?? 200
      let now = FuzzTarget.moments[0]
      let response = CollectorResponse(
        status: status, retryAfter: request.header("retry-after"),
        retryAfterMilliseconds: request.header("x-ms-retry-after-ms"), date: request.header("date"),
        body: Array(request.body))
      for events in [1, 5] { retry(response.outcome(events: events, now: now)) }
      let result = TransportResult.response(
        TransportResponse(
          status: status, headers: ["retry-after": request.header("retry-after") ?? "", "date": "x"],
          body: Array(request.body)))
      retry(ResponseOutcome(ofHits: result, now: now))
      _ = JSONReader.read(Array(input))
    }
  }

  /// Waits as long as an answer says.
  private static func retry(_ outcome: ResponseOutcome) {
    guard case .failed(let failure) = outcome, let wait = failure.retryAfter else { return }
    precondition(wait >= .zero && wait <= .seconds(253_402_300_800), "a wait of \(wait)")
    _ = Duration.seconds(1 << 40) + wait
  }
}

enum ResponseVocabulary {
  static let names = "accepted duplicates rejected index indexes error message id reason code".split(separator: " ")
    .map(String.init)

  static let values = ["[0,1]", "[]", "{}", "null", "{\"index\":0}", "\"\\ud800\"", "1e3", "[[[["]
}
