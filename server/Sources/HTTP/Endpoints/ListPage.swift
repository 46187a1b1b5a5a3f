package import Hummingbird
import JSON

/// The part of a long list that a request asks for.
package struct ListPage: Sendable {
  /// The largest `limit`.
  package static let maximum = 1_000
  /// The number of elements of an answer without `limit`.
  package static let usual = 100

  /// The number that the elements come before; `nil` to begin with the latest.
  package let before: Int64?
  /// The maximum number of elements.
  package let limit: Int

  /// Reads `before` and `limit`; throws ``APIError`` 400.
  package init(_ request: Request) throws(APIError) {
    let parameters = request.parameters
    let texts = (parameters["before"] ?? "", parameters["limit"] ?? "")
    guard let before = texts.0.isEmpty ? Int64.max : Int64(texts.0), before > 0 else {
      throw .invalid("`before` must be the `next` of the previous answer.")
    }
    guard let limit = texts.1.isEmpty ? Self.usual : Int(texts.1), (1...Self.maximum).contains(limit) else {
      throw .invalid("`limit` must be from 1 to \(Self.maximum).")
    }
    (self.before, self.limit) = (before == .max ? nil : before, limit)
  }

  /// Returns the elements of this page and the `next` of the following one, if there is one.
  ///
  /// - Parameter elements: The elements that come before ``before``; one more than ``limit`` if there are that many.
  func cut<Element>(_ elements: [Element], number: (Element) -> Int64) -> (elements: [Element], next: Int64?) {
    let cut = Array(elements.prefix(limit))
    return (cut, elements.count > limit ? cut.last.map(number) : nil)
  }
}

extension ListPage {
  package static let limitParameter = APIOperation.Parameter.query(
    "limit", .limited(1...maximum).described("The most elements; \(usual) without it."))
  private static let beforeParameter = APIOperation.Parameter.query(
    "before", .identifier.described("`next` of the previous answer."))
  package static let parameters = [beforeParameter, limitParameter]
}

extension EndpointGroup {
  /// Answers with a page of a long list, and the `before` of the next page.
  ///
  /// - Parameters:
  ///   - member: The name of the list.
  ///   - number: The number by which elements are in order.
  ///   - run: Returns the elements that come before the page's `before`; one more than its limit if there are that many.
  package func page<Element>(
    _ path: String, _ name: String, _ summary: String, _ member: String, of element: JSONAnswer<Element>,
    number: @escaping @Sendable (Element) -> Int64, _ run: @escaping @Sendable (Call, ListPage) throws -> [Element]
  ) {
    let answer = JSONAnswer<(elements: [Element], next: Int64?)>([
      .shown(member, .list(element.schema)) { .array($0.elements.map(element.tree)) },
      .shown("next", .nullable(.count)) { .integer($0.next) },
    ])
    get(path, name, summary, answer, ListPage.parameters, errors: [400]) { call in
      let page = try ListPage(call.request)
      return page.cut(try run(call, page), number: number)
    }
  }
}
