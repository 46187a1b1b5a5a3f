package import HTTPTypes
package import JSON
import Questions

/// The description of one method of one address.
package struct APIOperation: Sendable {
  /// The credentials of a request.
  package enum Credentials: Sendable {
    /// Public, or checked by the operation itself.
    case none
    /// A token of the API.
    case token
    /// The key of an app, or a token that may write.
    case appKey
    /// An App Center secret.
    case appSecret
  }

  /// A parameter of the address or a header field.
  package struct Parameter: Sendable {
    package enum Place: String, Sendable { case path, query, header }

    package let name: String
    package let place: Place
    package let schema: Schema
    package var isRequired = false

    package static func path(_ name: String, _ schema: Schema) -> Parameter {
      Parameter(name: name, place: .path, schema: schema, isRequired: true)
    }
    package static func query(_ name: String, _ schema: Schema, isRequired: Bool = false) -> Parameter {
      Parameter(name: name, place: .query, schema: schema, isRequired: isRequired)
    }
    package static func header(_ name: String, _ schema: Schema) -> Parameter {
      Parameter(name: name, place: .header, schema: schema)
    }
  }

  package var method: HTTPRequest.Method
  /// The address, with its parameters in braces.
  package var path: String
  /// A name for generated clients.
  package let name: String
  /// One or more sentences, of which the first is the summary in an OpenAPI document.
  package let summary: String
  package var tag = APITag.server
  package var credentials = Credentials.token
  package var parameters: [Parameter] = []
  /// The media types of the request's body; empty for none.
  package var body: Schema.Members = [:]
  package var isBodyRequired = true
  /// The status of success.
  package var status = 200
  /// The media types of the response; empty for none.
  package var answers: Schema.Members = [:]
  /// The statuses of errors.
  package var errors: [Int] = []
  package var errorSchema = Schema.named("Error")
  /// The media types of errors that have forms of their own; `nil` for JSON with ``errorSchema``.
  package var errorAnswers: Schema.Members?
  /// Further statuses of success.
  package var otherStatuses: [Int] = []
  /// True if `If-Match` names the states in which the operation may be done.
  package var isConditional = false

  private static let sentences: [Int: String] = [
    400: "The request cannot be understood.", 401: "The credentials are missing or wrong.",
    403: "The credentials do not include this.", 404: "Nothing has this address.",
    412: "Someone has changed this since the state whose ETag is in If-Match. The answer's ETag is the present one.",
    413: "The body is too large.", 415: "The body has an unsupported encoding.",
    422: "The answer would take too long or too much memory; the message says what to narrow.",
    429: "Too many attempts with wrong credentials; wait as long as Retry-After says.",
    501: "This server has no such figures.", 503: "The server cannot do this now; try again later.",
  ]

  /// Adds what follows from the address of an endpoint, from its right and from its body.
  ///
  /// - Parameter path: The path, whose parameters begin with colons.
  package mutating func complete(
    _ method: HTTPRequest.Method, _ path: String, _ requirement: Endpoint.Requirement, _ tag: APITag
  ) {
    self.tag = tag
    let names = path.split(separator: "/").filter { $0.first == ":" }.map { String($0.dropFirst()) }
    let known = Set(parameters.filter { $0.place == .path }.map(\.name))
    self.method = method
    self.path = path.split(separator: "/").map { $0.first == ":" ? "/{\($0.dropFirst())}" : "/\($0)" }.joined()
    parameters = names.filter { !known.contains($0) }.map { .path($0, .identifier) } + parameters
    if requirement == .nothing, credentials == .token { credentials = .none }
    if !names.isEmpty { errors.append(404) }
    if isConditional {
      parameters.append(Self.ifMatch)
      errors.append(412)
    }
  }

  /// The precondition of a change.
  static let ifMatch = Parameter.header(
    "If-Match",
    .pattern("^(\\*|\"[0-9a-f]{32}\")$")
      .described("The ETag of the state that the change is meant for. Without it, the change is made in any state."))

  /// The operation in an OpenAPI document.
  package var tree: JSONTree {
    var members: [(String, JSONTree)] = [
      ("operationId", .text(name)), ("tags", .array([.text(tag.rawValue)])), ("summary", .text(title)),
      ("description", .text(summary)), ("security", security),
    ]
    if !parameters.isEmpty { members.append(("parameters", .array(parameters.map(\.tree)))) }
    if !body.list.isEmpty {
      members.append(
        ("requestBody", .object([("required", .boolean(isBodyRequired)), ("content", Self.content(body))])))
    }
    var responses: [(String, JSONTree)] = [(String(status), Self.response("Success.", answers))]
    responses += otherStatuses.map { (String($0), Self.response("Success.", answers)) }
    // A request without valid credentials never gets further.
    let rejections: [Int]
    switch credentials {
    case .none: rejections = []
    case .token: rejections = [401, 403, 429]
    case .appKey, .appSecret: rejections = [401]
    }
    for status in Set(errors + rejections).sorted() {
      let answer = Self.response(
        Self.sentences[status] ?? "An error.", errorAnswers ?? ["application/json": errorSchema])
      responses.append((String(status), answer))
    }
    return .object(members + [("responses", .object(responses))])
  }

  /// The first sentence of the summary without its full stop, for lists of operations.
  package var title: String {
    let first = summary.firstRange(of: ". ").map { summary[..<$0.lowerBound] } ?? summary[...]
    return String(first.last == "." ? first.dropLast() : first)
  }

  /// The named schemas to which it refers.
  package var components: [(String, Schema)] {
    (parameters.map(\.schema) + (body + answers).list.map(\.1)).flatMap(\.components.list)
  }

  private var security: JSONTree {
    let schemes: [String]
    switch credentials {
    case .none: schemes = []
    case .token: schemes = ["token", "apiToken"]
    case .appKey: schemes = ["appKey", "token"]
    case .appSecret: schemes = ["appSecret"]
    }
    return .array(schemes.map { .object([($0, .array([]))]) })
  }

  private static func response(_ sentence: String, _ answers: Schema.Members) -> JSONTree {
    let sentence: [(String, JSONTree)] = [("description", .text(sentence))]
    return .object(sentence + (answers.list.isEmpty ? [] : [("content", content(answers))]))
  }

  private static func content(_ types: Schema.Members) -> JSONTree {
    .object(types.list.map { ($0.0, .object([("schema", $0.1.tree)])) })
  }
}

extension APIOperation.Parameter {
  /// The parameter in an OpenAPI document.
  fileprivate var tree: JSONTree {
    .object([
      ("name", .text(name)), ("in", .text(place.rawValue)), ("required", .boolean(isRequired)),
      ("schema", schema.tree),
    ])
  }
}

extension APIOperation {
  /// An operation whose address its endpoint has.
  package init(
    _ name: String, _ summary: String, _ parameters: [Parameter] = [], body: Schema.Members = [:],
    answers: Schema.Members = [:], errors: [Int] = []
  ) {
    self.init(
      method: .get, path: "", name: name, summary: summary, parameters: parameters, body: body, answers: answers,
      errors: errors)
  }
}
