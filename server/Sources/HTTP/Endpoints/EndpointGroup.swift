package import HTTPTypes
package import Hummingbird
package import JSON
package import Warehouse

/// The endpoints for programs below one path, which require one right.
///
/// An endpoint is declared once: its handler gets what its description promises, and the OpenAPI document is made of the
/// declarations. What follows from a declaration isn't written: a path with parameters can be unknown (404), a JSON body
/// can be wrong (400), too large (413) or come while the server is overloaded (503).
package struct EndpointGroup {
  package typealias Parameter = APIOperation.Parameter

  package let routes: RouteTable
  package let reader: BodyReader
  package let catalog: any CatalogEditor
  package let path: String
  package let requirement: Endpoint.Requirement
  package let tag: APITag

  package init(
    routes: RouteTable, reader: BodyReader, catalog: any CatalogEditor, path: String = "",
    requirement: Endpoint.Requirement = .nothing, tag: APITag
  ) {
    (self.routes, self.reader, self.catalog) = (routes, reader, catalog)
    (self.path, self.requirement, self.tag) = (path, requirement, tag)
  }

  /// The endpoints below a path within this one, with a right of their own.
  package func group(_ path: String, _ permission: Permission) -> EndpointGroup {
    group(path, .permission(permission))
  }

  package func group(_ path: String = "", _ requirement: Endpoint.Requirement) -> EndpointGroup {
    EndpointGroup(
      routes: routes, reader: reader, catalog: catalog, path: self.path + path, requirement: requirement, tag: tag)
  }

  /// The same group, whose endpoints the description lists under a tag.
  package func tagged(_ tag: APITag) -> EndpointGroup {
    EndpointGroup(
      routes: routes, reader: reader, catalog: catalog, path: path, requirement: requirement, tag: tag)
  }

  /// Answers with a value.
  package func get<Value>(
    _ path: String, _ name: String, _ summary: String, _ answer: JSONAnswer<Value>, _ parameters: [Parameter] = [],
    errors: [Int] = [], _ run: @escaping @Sendable (Call) async throws -> Value
  ) { on(.get, path, name, summary, answer, parameters, errors: errors, run) }

  /// Does something without a body, and answers with a value.
  package func on<Value>(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String, _ answer: JSONAnswer<Value>,
    _ parameters: [Parameter] = [], errors: [Int] = [], _ run: @escaping @Sendable (Call) async throws -> Value
  ) {
    var operation = APIOperation(name, summary, parameters, answers: answer.content, errors: errors)
    operation.status = answer.status
    on(method, path, operation) { answer.response(try await run($0)) }
  }

  /// Reads a body, and answers with a value.
  package func on<Body, Value>(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String, _ body: JSONBody<Body>,
    _ answer: JSONAnswer<Value>, errors: [Int] = [],
    _ run: @escaping @Sendable (Call, JSONBody<Body>.Sent) async throws -> Value
  ) {
    var operation = APIOperation(
      name, summary, body: body.content, answers: answer.content, errors: errors + JSONBody<Body>.errors)
    operation.status = answer.status
    on(method, path, operation) { [reader] call in
      answer.response(try await run(call, try await body.receive(call, reader)))
    }
  }

  /// Removes something that has no state to compare with; with one, see `remove`.
  package func delete(
    _ path: String, _ name: String, _ summary: String, _ parameters: [Parameter] = [], errors: [Int] = [],
    _ run: @escaping @Sendable (Call) async throws -> Void
  ) {
    on(.delete, path, name, summary, parameters, errors: errors, run)
  }

  /// Does something for which there is nothing to answer.
  package func on(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String, _ parameters: [Parameter] = [],
    errors: [Int] = [], _ run: @escaping @Sendable (Call) async throws -> Void
  ) {
    var operation = APIOperation(name, summary, parameters, errors: errors)
    operation.status = 204
    on(method, path, operation) { call in
      try await run(call)
      return Response(status: .noContent)
    }
  }

  /// Reads a body, and has nothing to answer.
  package func on<Body>(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String, _ body: JSONBody<Body>,
    errors: [Int] = [], _ run: @escaping @Sendable (Call, JSONBody<Body>.Sent) async throws -> Void
  ) {
    var operation = APIOperation(name, summary, body: body.content, errors: errors + JSONBody<Body>.errors)
    operation.status = 204
    on(method, path, operation) { [reader] call in
      try await run(call, try await body.receive(call, reader))
      return Response(status: .noContent)
    }
  }

  /// Adds an endpoint that reads and answers in its own way.
  ///
  /// - Parameter isProtocol: True for what clients of a protocol send: no error is turned into one of the API.
  package func on(
    _ method: HTTPRequest.Method, _ path: String, _ operation: APIOperation, isProtocol: Bool = false,
    _ handle: @escaping @Sendable (Call) async throws -> Response
  ) {
    let path = self.path + path
    var operation = operation
    operation.complete(method, path, requirement, tag)
    routes.add(
      method, path,
      .api(requirement, isProtocol: isProtocol) { request, context in
        let call = Call(request: request, context: context)
        return isProtocol
          ? try await handle(call) : try await Response.refusingInvalid { try await handle(call) }
      }, [operation])
  }
}

/// A request to an endpoint for programs.
package struct Call: Sendable {
  package let request: Request
  package let context: CollectorContext

  /// The app that the address names.
  package var app: App { get throws(APIError) { try context.app } }
  package var visitor: Visitor { get throws(APIError) { try context.visitor } }

  /// Returns the number that the path has as parameter `name`; throws `error` if it isn't a number.
  package func number(_ name: String, else error: APIError) throws(APIError) -> Int64 {
    try context.number(name, else: error)
  }
}

/// The answer of an endpoint: its schema, and its members.
package struct JSONAnswer<Value>: Sendable {
  package let schema: Schema
  package let tree: @Sendable (Value) -> JSONTree
  package var status = 200

  package var content: Schema.Members { ["application/json": schema] }

  package func response(_ value: Value) -> Response {
    .json(tree(value).encoded, status: HTTPResponse.Status(code: status))
  }

  /// The same answer to a request that has created something.
  package var created: JSONAnswer { with(201) }

  /// The same answer to a request whose work goes on in the background.
  package var accepted: JSONAnswer { with(202) }

  private func with(_ status: Int) -> JSONAnswer {
    var answer = self
    answer.status = status
    return answer
  }
}

extension JSONAnswer {
  /// An object with members.
  package init(_ members: [JSONMember<Value>]) {
    self.init(schema: members.answerSchema()) { .object(members.encode($0)) }
  }

  /// - Parameter name: The name of its schema in the document.
  package init(_ name: String, _ members: [JSONMember<Value>]) {
    self.init(schema: members.answerSchema().named(name)) { .object(members.encode($0)) }
  }

  /// An object with a list as its only member.
  package static func list<Element>(_ name: String, of element: JSONAnswer<Element>) -> JSONAnswer
  where Value == [Element] {
    JSONAnswer(schema: .object([name: .list(element.schema)])) { .object([(name, .array($0.map(element.tree)))]) }
  }
}

/// The body of a request: a JSON object whose members set those of a value. One that isn't known is refused: a misspelled
/// member would change nothing, and the answer would say that all is well.
package struct JSONBody<Value>: Sendable {
  package let members: [JSONMember<Value>]
  package let schema: Schema
  package let maximumBytes: Int

  package init(_ members: [JSONMember<Value>], maximumBytes: Int = 16 << 10) {
    (self.members, self.maximumBytes) = (members, maximumBytes)
    schema = members.requestSchema()
  }

  /// - Parameter name: The name of its schema in the document.
  package init(_ name: String, _ members: [JSONMember<Value>], maximumBytes: Int = 16 << 10) {
    (self.members, self.maximumBytes) = (members, maximumBytes)
    schema = members.requestSchema().named(name)
  }

  package var content: Schema.Members { ["application/json": schema] }

  /// The errors that any body can have.
  package static var errors: [Int] { [400, 413, 503] }

  /// A body that has arrived.
  package struct Sent: Sendable {
    fileprivate let node: JSONNode
    fileprivate let body: JSONBody

    /// Sets the members that the body has; throws ``APIError`` 400 that names the member at fault.
    package func set(on value: inout Value) throws(APIError) {
      do {
        try body.members.set(from: node, on: &value)
      } catch {
        throw APIError(error)
      }
    }

    /// Returns a value with the members that the body has; throws ``APIError`` 400 that names the member at fault.
    package func value(from start: Value) throws(APIError) -> Value {
      var value = start
      try set(on: &value)
      return value
    }
  }

  package func receive(_ call: Call, _ reader: BodyReader) async throws -> Sent {
    let bytes = Array(try await reader.read(call.request, call.context, limit: maximumBytes).bytes.readableBytesView)
    do throws(JSONFault) {
      let node = JSONNode(value: try JSONTree(parsing: bytes, atMost: maximumBytes))
      guard case .object = node.value else { throw node.fault("Expected an object.") }
      return Sent(node: node, body: self)
    } catch {
      throw APIError(status: .badRequest, code: "malformed", message: "\(error.message) \(members.hint())")
    }
  }
}

extension APIError {
  /// The answer to a member that isn't as it must be.
  package init(_ fault: JSONFault) {
    self.init(status: .badRequest, code: "invalid", message: fault.message, path: fault.path)
  }

  package static func invalid(_ message: String, at path: String? = nil) -> APIError {
    APIError(status: .badRequest, code: "invalid", message: message, path: path)
  }

  /// The answer to an address that names something that doesn't exist.
  package static func unknown(_ thing: String, _ message: String) -> APIError {
    APIError(status: .notFound, code: "unknown_\(thing)", message: message)
  }
}
