import Hummingbird

/// The part of a long list that a request asks for.
struct ListPage: Sendable {
  /// The most elements of an answer.
  static let maximum = 1_000
  /// The number of elements of an answer without `limit`.
  static let usual = 100

  /// The number before which the elements are.
  let before: Int64?
  /// The most elements.
  let limit: Int

  /// Reads `before` and `limit`; throws ``APIError`` 400.
  init(_ request: Request) throws(APIError) {
    let parameters = request.parameters
    let texts = (parameters["before"] ?? "", parameters["limit"] ?? "")
    guard let before = texts.0.isEmpty ? Int64.max : Int64(texts.0), before > 0 else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "`before` must be the `next` of the answer before.")
    }
    guard let limit = texts.1.isEmpty ? Self.usual : Int(texts.1), (1...Self.maximum).contains(limit) else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "`limit` must be from 1 to \(Self.maximum).")
    }
    (self.before, self.limit) = (before == .max ? nil : before, limit)
  }

  /// Returns the elements of an answer and the `next` of another page, from one element more than the limit.
  func cut<Element>(_ elements: [Element], number: (Element) -> Int64) -> (elements: [Element], next: Int64?) {
    let cut = Array(elements.prefix(limit))
    return (cut, elements.count > limit ? cut.last.map(number) : nil)
  }
}

extension CollectorContext {
  /// The number in an address; throws `error` if it is none.
  func number(_ name: String, else error: APIError) throws(APIError) -> Int64 {
    guard let number = parameters.get(name).flatMap({ Int64($0) }) else { throw error }
    return number
  }
}
