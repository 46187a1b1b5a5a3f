import Cryptography
import Foundation
import HTTPTypes
package import Hummingbird
import ServerBase

/// The strong entity tag of something that people edit: a hash of its state, usually of the body of the response to `GET`.
struct EntityTag: Sendable, Equatable {
  /// The tag as in `ETag`, with its quotation marks.
  let text: String

  init(_ state: [UInt8]) {
    text = "\"\(hexadecimal(HashFunction.sha256.hash(state).prefix(16)))\""
  }
}

/// The condition of a request that changes something: the states for which the change is meant, from `If-Match`.
///
/// It is checked in the transaction of the change, so that nothing can change in between.
package struct Precondition: Sendable {
  /// The tags; `nil` if the request has no condition.
  private let tags: [String]?

  package init(_ request: Request) {
    tags = request.headers[.ifMatch].map { field in field.split(separator: ",").map(\.trimmed) }
  }

  /// Throws ``APIError`` 412 with the tag of the current state unless the request is meant for that state.
  ///
  /// - Parameter state: Returns what the current tag is a hash of; `nil` if nothing exists yet.
  package func require(_ state: () throws -> [UInt8]?) throws {
    guard let tags else { return }
    guard let current = try state() else { throw APIError.hasChanged(nil) }
    let tag = EntityTag(current)
    guard tags.contains("*") || tags.contains(tag.text) else { throw APIError.hasChanged(tag) }
  }
}

extension APIError {
  /// The error for a request that is meant for another state than the current one.
  fileprivate static func hasChanged(_ tag: EntityTag?) -> APIError {
    var error = APIError(
      status: .preconditionFailed, code: "has_changed",
      message: "Someone has changed this since it was read, or it does not exist. Read it again, then repeat the "
        + "change if it is still right.")
    if let tag { error.headers[.eTag] = tag.text }
    return error
  }
}

extension Response {
  /// Creates a JSON response with the tag of the state.
  ///
  /// - Parameter state: The bytes that the tag is a hash of, if not the whole body.
  static func tagged(_ bytes: [UInt8], state: [UInt8]? = nil, status: HTTPResponse.Status = .ok) -> Response {
    var response = Response.json(bytes, status: status)
    response.headers[.eTag] = EntityTag(state ?? bytes).text
    return response
  }
}
