package import HTTPTypes
package import Hummingbird
import JSON
import Warehouse

/// An item with an address of its own: how it is found and shown, and the state that `If-Match` is about.
package struct Item<Value>: Sendable {
  package let answer: JSONAnswer<Value>
  /// The parameters of the address that aren't plain numbers.
  fileprivate let parameters: [EndpointGroup.Parameter]
  /// The bytes that the tag is a hash of.
  private let state: @Sendable (Value) -> [UInt8]
  /// Returns what the address names as it is now; throws ``APIError`` 404 if there is nothing.
  package let find: @Sendable (Call) throws -> Value

  /// - Parameter state: Returns the bytes that the tag is a hash of; `nil` for the whole answer.
  package init(
    _ answer: JSONAnswer<Value>, _ parameters: [EndpointGroup.Parameter] = [],
    state: (@Sendable (Value) -> [UInt8])? = nil,
    find: @escaping @Sendable (Call) throws -> Value
  ) {
    (self.answer, self.parameters, self.find) = (answer, parameters, find)
    self.state = state ?? { answer.tree($0).encoded }
  }

  package func response(_ value: Value, _ status: HTTPResponse.Status = .ok) -> Response {
    .tagged(answer.tree(value).encoded, state: state(value), status: status)
  }

  /// Returns what the address names; throws ``APIError`` 404, or 412 if it isn't in the state that the request is meant for.
  package func found(_ call: Call, _ condition: Precondition) throws -> Value {
    let value = try find(call)
    try condition.require { state(value) }
    return value
  }
}

/// Endpoints that read, create, change and remove an item with an address of its own.
extension EndpointGroup {
  package func show<Value>(_ path: String, _ name: String, _ summary: String, _ item: Item<Value>) {
    let operation = APIOperation(name, summary, item.parameters, answers: item.answer.content)
    on(.get, path, operation) { item.response(try item.find($0)) }
  }

  package func create<Body, Value>(
    _ path: String, _ name: String, _ summary: String, _ body: JSONBody<Body>, _ item: Item<Value>,
    errors: [Int] = [], _ run: @escaping @Sendable (Call, JSONBody<Body>.Sent) throws -> Value
  ) {
    var operation = APIOperation(
      name, summary, body: body.content, answers: item.answer.content, errors: errors + JSONBody<Body>.errors)
    operation.status = 201
    on(.post, path, operation) { [reader] call in
      item.response(try run(call, try await body.receive(call, reader)), .created)
    }
  }

  /// - Parameter run: Gets what is to be changed, and the body. It runs in the transaction in which `If-Match` was checked.
  package func change<Body, Value>(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String, _ body: JSONBody<Body>,
    _ item: Item<Value>, errors: [Int] = [],
    _ run: @escaping @Sendable (Call, Value, JSONBody<Body>.Sent) throws -> Void
  ) {
    var operation = APIOperation(
      name, summary, item.parameters, body: body.content, answers: item.answer.content,
      errors: errors + JSONBody<Body>.errors)
    operation.isConditional = true
    on(method, path, operation) { [reader, catalog] call in
      let (sent, condition) = (try await body.receive(call, reader), Precondition(call.request))
      return item.response(
        try catalog.atomically {
          try run(call, try item.found(call, condition), sent)
          return try item.find(call)
        })
    }
  }

  /// - Parameter run: Gets what is to be removed. It runs in the transaction in which `If-Match` was checked.
  package func remove<Value>(
    _ path: String, _ name: String, _ summary: String, _ item: Item<Value>, errors: [Int] = [],
    _ run: @escaping @Sendable (Call, Value) throws -> Void
  ) {
    var operation = APIOperation(name, summary, item.parameters, errors: errors)
    (operation.status, operation.isConditional) = (204, true)
    on(.delete, path, operation) { [catalog] call in
      let condition = Precondition(call.request)
      try catalog.atomically { try run(call, try item.found(call, condition)) }
      return Response(status: .noContent)
    }
  }
}
