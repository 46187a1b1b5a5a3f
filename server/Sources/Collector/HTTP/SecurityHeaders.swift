import HTTPTypes
import Hummingbird

/// The header fields that make a browser distrust whatever slips into an answer; set on every one.
struct SecurityHeaders: RouterMiddleware {
  typealias Context = CollectorContext

  static let contentSecurityPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // Files set a stricter one.
    if response.headers[.contentSecurityPolicy] == nil {
      response.headers[.contentSecurityPolicy] = Self.contentSecurityPolicy
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    // Pages set `same-origin`: under `no-referrer` browsers send `Origin: null` with forms, and the check of a form's
    // origin could not tell our own pages from others. Neither tells other sites anything.
    if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
    return response
  }
}

extension HTTPField.Name {
  private static func named(_ name: String) -> HTTPField.Name {
    // Never `nil`: the names below are made of legal characters. A force unwrap would say so with a crash.
    HTTPField.Name(name) ?? .contentType
  }

  static let referrerPolicy = named("Referrer-Policy")
  static let secFetchSite = named("Sec-Fetch-Site")
  static let forwardedProtocol = named("X-Forwarded-Proto")
  static let forwardedFor = named("X-Forwarded-For")
  static let ternKey = named("Tern-Key")
  static let ternSent = named("Tern-Sent")
  static let ternLedger = named("Tern-Ledger")
  static let appSecret = named("App-Secret")
  static let apiToken = named("X-API-Token")
  static let installID = named("Install-ID")
  static let retryAfterMilliseconds = named("x-ms-retry-after-ms")
  static let lastEventID = named("Last-Event-ID")
  static let pragma = named("Pragma")
  static let accelBuffering = named("X-Accel-Buffering")
}
