import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The mark of one state of a thing that people edit: a strong entity tag, which is a hash of what is shown of it.
struct EntityTag: Sendable, Equatable {
  /// The tag as in `ETag`, with its quotation marks.
  let text: String

  /// - Parameter representation: What a `GET` answers.
  init(_ representation: [UInt8]) {
    let digits = SHA256.hash(data: representation).prefix(16).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    text = "\"\(digits.joined())\""
  }
}

/// The condition of a request that changes something: the states for which it was meant, from `If-Match`.
///
/// A change checks it in the transaction in which it is made, so that nobody can change anything in between.
struct Precondition: Sendable {
  /// The tags; `nil` if the request has no condition.
  private let tags: [String]?

  init(_ request: Request) {
    tags = request.headers[.ifMatch].map { field in field.split(separator: ",").map(\.trimmed) }
  }

  /// Throws ``APIError`` 412 with the tag of the present state unless the request was meant for it.
  ///
  /// - Parameter representation: Returns what a `GET` answers now; `nil` for a thing that doesn't exist yet.
  func require(_ representation: () throws -> [UInt8]?) throws {
    guard let tags else { return }
    guard let current = try representation() else { throw APIError.hasChanged(nil) }
    let tag = EntityTag(current)
    guard tags.contains("*") || tags.contains(tag.text) else { throw APIError.hasChanged(tag) }
  }
}

extension APIError {
  /// The thing is no longer in the state for which the request was meant.
  fileprivate static func hasChanged(_ tag: EntityTag?) -> APIError {
    var error = APIError(
      status: .preconditionFailed, code: "has_changed",
      message: "Someone has changed this since it was read, or it does not exist. Read it again, then decide.")
    if let tag { error.headers[.eTag] = tag.text }
    return error
  }
}

extension Response {
  /// Creates a JSON response with the tag of the state.
  ///
  /// - Parameter state: What the tag is a hash of, if it isn't the whole body.
  static func tagged(_ bytes: [UInt8], state: [UInt8]? = nil, status: HTTPResponse.Status = .ok) -> Response {
    var response = Response.json(bytes, status: status)
    response.headers[.eTag] = EntityTag(state ?? bytes).text
    return response
  }
}
