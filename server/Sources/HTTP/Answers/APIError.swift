package import HTTPTypes
package import Hummingbird
package import Ingest
import TernEvents

/// An error response. All errors of the collector have the same format:
/// `{"error":{"code","message","position","index","indexes"}}`, and a `path` if a member is at fault.
package struct APIError: Error, Sendable {
  package var status: HTTPResponse.Status
  /// A stable code for programs.
  package var code: String
  /// The reason and the remedy, for people.
  package var message: String
  /// The byte offset in the body at which parsing failed, if known.
  package var position: Int?
  /// The line or log, counted from 0, in which parsing failed, if known.
  package var index: Int?
  /// All invalid lines, if they can be separated from the others. Without them, the request can be sent again.
  package var indexes: [Int] = []
  /// The JSON path of the fault in the body.
  package var path: String?
  /// Further header fields.
  package var headers: HTTPFields = [:]

  package init(
    status: HTTPResponse.Status, code: String, message: String, position: Int? = nil, index: Int? = nil,
    indexes: [Int] = [], path: String? = nil, headers: HTTPFields = [:]
  ) {
    (self.status, self.code, self.message) = (status, code, message)
    (self.position, self.index, self.indexes, self.path) = (position, index, indexes, path)
    self.headers = headers
  }

  package var json: [UInt8] {
    var json = JSONWriter(capacity: 128 + message.utf8.count)
    json.raw("{\"error\":{\"code\":")
    json.string(code)
    json.raw(",\"message\":")
    json.string(message)
    json.raw(",\"position\":")
    json.optional(position)
    json.raw(",\"index\":")
    json.optional(index)
    json.raw(",\"indexes\":")
    json.integers(indexes)
    if let path {
      json.raw(",\"path\":")
      json.string(path)
    }
    json.raw("}}")
    return json.bytes
  }

  package var response: Response {
    var headers = headers
    headers[.contentType] = "application/json"
    headers[.cacheControl] = "no-store"
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
  }
}

extension APIError {
  package static let unknownKey = APIError(
    status: .unauthorized, code: "unknown_key",
    message: "Send the app's key in the header Tern-Key; `tern apps list` shows it.",
    headers: [.wwwAuthenticate: "Bearer"])

  package static let loginNeeded = APIError(
    status: .unauthorized, code: "login_needed",
    message: "Send a token as `Authorization: Bearer …` or in X-API-Token; `tern tokens create` creates one.",
    headers: [.wwwAuthenticate: "Bearer"])

  package static let notAllowed = APIError(
    status: .forbidden, code: "not_allowed", message: "Your account or token does not include this. Ask an owner.")

  package static let unknownApp = APIError(
    status: .notFound, code: "unknown_app", message: "This app does not exist, or you may not see it.")

  /// The answer to a NUL in an address or form.
  package static let nul = APIError(
    status: .badRequest, code: "malformed",
    message: "The request has a NUL character (%00), which no text may have. Remove it.")

  package static let notFound = APIError(
    status: .notFound, code: "not_found", message: "Nothing has this address. Check its spelling.")

  static let foreignOrigin = APIError(
    status: .forbidden, code: "foreign_origin",
    message: "This form was sent by another site. Open the page on this server and try again.")

  package static let incomplete = APIError(
    status: .badRequest, code: "incomplete",
    message: "The connection ended before the body was complete. Nothing of it was stored; send it again.",
    headers: [.connection: "close"])

  /// The error for a truncated body, for clients that give up on any 4xx: the next attempt may succeed.
  package static func truncatedBody(retryAfterSeconds: Int) -> APIError {
    var error = incomplete
    error.status = .serviceUnavailable
    error.headers[.retryAfter] = String(retryAfterSeconds)
    return error
  }

  package static func tooLarge(limit: Int) -> APIError {
    APIError(
      status: .contentTooLarge, code: "too_large",
      message: "The body is larger than \(limit) bytes. Send fewer events in one request.",
      headers: [.connection: "close"])
  }

  package static func behind(retryAfterSeconds: Int) -> APIError {
    APIError(
      status: .serviceUnavailable, code: "behind",
      message: "The collector is overloaded. Keep the events and try again later.",
      headers: [.retryAfter: String(retryAfterSeconds)])
  }

  package static func notStored(retryAfterSeconds: Int) -> APIError {
    APIError(
      status: .serviceUnavailable, code: "not_stored",
      message: "Nothing of this request was stored. Keep the events and try again later.",
      headers: [.retryAfter: String(retryAfterSeconds)])
  }

  package static func tooManyReports(retryAfterSeconds: Int) -> APIError {
    APIError(
      status: .serviceUnavailable, code: "too_many_reports",
      message: "The server is busy with other reports. Try again in a few seconds.",
      headers: [.retryAfter: String(retryAfterSeconds)])
  }

  package static let diskFull = APIError(
    status: .serviceUnavailable, code: "disk_full",
    message: "The server's disk is full. Nothing was stored. Free space there and try again.")

  static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> APIError {
    let list = allowed.map(\.rawValue).joined(separator: ", ")
    return APIError(
      status: .methodNotAllowed, code: "method_not_allowed", message: "This address accepts only \(list).",
      headers: [.allow: list])
  }

  /// Creates the error for an unreadable body.
  package init(_ error: IngestError, limit: Int) {
    switch error.code {
    case .tooLarge:
      self = APIError.tooLarge(limit: limit)
      message = error.message
    default:
      self.init(
        status: .badRequest, code: error.code.rawValue, message: error.message, position: error.position,
        index: error.index, indexes: error.indexes)
    }
  }
}

extension JSONWriter {
  /// Appends an integer or `null`.
  package mutating func optional(_ value: Int?) {
    if let value { integer(Int64(value)) } else { raw("null") }
  }

  /// Appends a list of integers.
  package mutating func integers(_ values: [Int]) {
    raw("[")
    for (position, value) in values.enumerated() {
      if position > 0 { raw(",") }
      integer(Int64(value))
    }
    raw("]")
  }
}
