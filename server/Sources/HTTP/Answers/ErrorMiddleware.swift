import HTTPTypes
package import Hummingbird
import Logging
import Warehouse

/// Converts every error to a response, and counts responses.
struct ErrorMiddleware: RouterMiddleware {
  package typealias Context = CollectorContext

  package let metrics: CollectorMetrics
  package let uptime: @Sendable () -> Duration
  package let pages: any ErrorPages

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let started = uptime()
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as APIError {
      response = answer(error, to: request)
    } catch let error as HTTPError {
      response = answer(APIError(error), to: request)
    } catch {
      // Only the operator's log shows the reason, which may name files and statements.
      context.logger.error("Request failed", metadata: ["endpoint": .string(context.endpoint), "error": "\(error)"])
      response = answer(APIError(failure: error), to: request)
    }
    if request.method == .head { response = response.createHeadResponse() }
    metrics.answered(endpoint: context.endpoint, status: response.status.code, took: uptime() - started)
    return response
  }

  /// JSON for programs, in the format of the API they use; a page for people who follow a link.
  private func answer(_ error: APIError, to request: Request) -> Response {
    if request.uri.path.hasPrefix(APIError.appCenterPrefix) { return error.appCenterResponse }
    let isReader = (request.method == .get || request.method == .head) && !request.uri.path.hasPrefix("/api/")
    guard isReader, request.headers[.accept]?.contains("text/html") == true else { return error.response }
    var response = Response.html(
      pages.error(status: error.status.code, message: error.message), status: error.status)
    for field in error.headers { response.headers[field.name] = field.value }
    return response
  }
}

extension CollectorContext {
  /// The route's pattern. Unlike paths, patterns are limited in number.
  var endpoint: String { endpointPath ?? "NotFound" }
}

extension APIError {
  /// Creates the API error for a failure of the server.
  package init(failure error: any Error) {
    if (error as? WarehouseError)?.code == .full {
      self = .diskFull
    } else if let error = error as? WarehouseError, error.code == .held {
      self.init(
        status: .serviceUnavailable, code: "held", message: error.message, headers: [.retryAfter: "60"])
    } else if let error = error as? WarehouseError, error.code == .rowsAway {
      self.init(
        status: .serviceUnavailable, code: "rows_away",
        message:
          "This needs old events that only the ClickHouse cluster has, and they can't be fetched now. Try again later.",
        headers: [.retryAfter: "60"])
    } else {
      self.init(
        status: .internalServerError, code: "internal",
        message: "The request failed. See the server's log for the reason.")
    }
  }

  /// Creates the API error for an error of the HTTP layer.
  package init(_ error: HTTPError) {
    if error.status == .notFound {
      self = .notFound
    } else {
      self.init(
        status: error.status, code: "http_\(error.status.code)", message: error.body ?? error.status.reasonPhrase,
        headers: error.headers)
    }
  }
}
