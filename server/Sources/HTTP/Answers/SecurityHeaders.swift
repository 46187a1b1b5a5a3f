package import HTTPTypes
import Hummingbird

/// Adds header fields to every response that keep browsers from executing injected content.
struct SecurityHeaders: RouterMiddleware {
  package typealias Context = CollectorContext

  package static let contentSecurityPolicy = Response.contentSecurityPolicy(framedBy: ["'none'"])

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // Attachments set a stricter policy.
    if response.headers[.contentSecurityPolicy] == nil {
      response.headers[.contentSecurityPolicy] = Self.contentSecurityPolicy
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    // A shared link that is published somewhere must not bring its figures into search engines.
    response.headers[.robots] = "noindex, nofollow"
    // Pages set `same-origin`: with `no-referrer`, browsers send `Origin: null` with forms, and the origin check could
    // not recognize our own pages. Neither reveals anything to other sites.
    if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
    return response
  }
}

extension Response {
  /// The policy of a page that some sites may show in a frame.
  package static func contentSecurityPolicy(framedBy sites: [String]) -> String {
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
      + "form-action 'self'; frame-ancestors \(sites.joined(separator: " ")); base-uri 'none'"
  }
}

extension HTTPField.Name {
  private static func named(_ name: String) -> HTTPField.Name {
    // Never `nil`, because the names below are valid.
    HTTPField.Name(name) ?? .contentType
  }

  static let robots = named("X-Robots-Tag")
  static let referrerPolicy = named("Referrer-Policy")
  static let secFetchSite = named("Sec-Fetch-Site")
  static let forwardedProtocol = named("X-Forwarded-Proto")
  static let forwardedFor = named("X-Forwarded-For")
  package static let ternKey = named("Tern-Key")
  package static let rowsLeftOut = named("Tern-Rows-Left-Out")
  package static let notes = named("Tern-Notes")
  package static let fullLists = named("Tern-Full-Lists")
  package static let ternSent = named("Tern-Sent")
  package static let ternLedger = named("Tern-Ledger")
  package static let appSecret = named("App-Secret")
  static let apiToken = named("X-API-Token")
  package static let installID = named("Install-ID")
  package static let retryAfterMilliseconds = named("x-ms-retry-after-ms")
  package static let lastEventID = named("Last-Event-ID")
  package static let pragma = named("Pragma")
  package static let accelBuffering = named("X-Accel-Buffering")
}
