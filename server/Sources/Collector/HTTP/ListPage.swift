import Hummingbird

/// The part of a long list that a request asks for.
struct ListPage: Sendable {
  /// The largest `limit`.
  static let maximum = 1_000
  /// The number of elements of an answer without `limit`.
  static let usual = 100

  /// The number that the elements come before; `nil` to begin with the latest.
  let before: Int64?
  /// The most elements.
  let limit: Int

  /// Reads `before` and `limit`; throws ``APIError`` 400.
  init(_ request: Request) throws(APIError) {
    let parameters = request.parameters
    let texts = (parameters["before"] ?? "", parameters["limit"] ?? "")
    guard let before = texts.0.isEmpty ? Int64.max : Int64(texts.0), before > 0 else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "`before` must be the `next` of the previous answer.")
    }
    guard let limit = texts.1.isEmpty ? Self.usual : Int(texts.1), (1...Self.maximum).contains(limit) else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "`limit` must be from 1 to \(Self.maximum).")
    }
    (self.before, self.limit) = (before == .max ? nil : before, limit)
  }

  /// Returns the elements of this page and the `next` of the following one, if there is one.
  ///
  /// - Parameter elements: The elements from ``before`` on, one more than ``limit`` if there are as many.
  func cut<Element>(_ elements: [Element], number: (Element) -> Int64) -> (elements: [Element], next: Int64?) {
    let cut = Array(elements.prefix(limit))
    return (cut, elements.count > limit ? cut.last.map(number) : nil)
  }
}

extension CollectorContext {
  /// Returns the number that the path has as parameter `name`; throws `error` if it isn't a number.
  func number(_ name: String, else error: APIError) throws(APIError) -> Int64 {
    guard let number = parameters.get(name).flatMap({ Int64($0) }) else { throw error }
    return number
  }
}
