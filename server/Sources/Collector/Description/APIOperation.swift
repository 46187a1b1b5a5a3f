import HTTPTypes
import Questions

/// The description of one method of one address.
struct APIOperation: Sendable {
  /// The credentials of a request.
  enum Credentials: Sendable {
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
  struct Parameter: Sendable {
    enum Place: String, Sendable { case path, query, header }

    let name: String
    let place: Place
    let schema: Schema
    var isRequired = false

    static func path(_ name: String, _ schema: Schema) -> Parameter {
      Parameter(name: name, place: .path, schema: schema, isRequired: true)
    }
    static func query(_ name: String, _ schema: Schema, isRequired: Bool = false) -> Parameter {
      Parameter(name: name, place: .query, schema: schema, isRequired: isRequired)
    }
    static func header(_ name: String, _ schema: Schema) -> Parameter {
      Parameter(name: name, place: .header, schema: schema)
    }
  }

  let method: HTTPRequest.Method
  /// The address, with its parameters in braces.
  let path: String
  /// A name for generated clients.
  let name: String
  let summary: String
  var credentials = Credentials.token
  var parameters: [Parameter] = []
  /// The media types of the request's body; empty for none.
  var body: Schema.Members = [:]
  var isBodyRequired = true
  /// The status of success.
  var status = 200
  /// The media types of the response; empty for none.
  var answers: Schema.Members = [:]
  /// The statuses of errors.
  var errors: [Int] = []
  /// The schema of errors.
  var errorSchema = Schema.named("Error")

  private static let sentences: [Int: String] = [
    400: "The request cannot be understood.", 401: "The credentials are missing or wrong.",
    403: "The credentials do not include this.", 404: "Nothing has this address.",
    412: "Someone has changed this since the state whose ETag is in If-Match. The answer's ETag is the present one.",
    413: "The body is too large.", 415: "The body has an unsupported encoding.",
    422: "The answer would take too long or too much memory; the message says what to narrow.",
    429: "Too many attempts with wrong credentials; wait as long as Retry-After says.",
    501: "This server has no such figures.", 503: "The server cannot do this now; try again later.",
  ]

  /// The operation in an OpenAPI document.
  var tree: JSONTree {
    var members: [(String, JSONTree)] = [
      ("operationId", .text(name)), ("summary", .text(summary)), ("security", security),
    ]
    if !parameters.isEmpty { members.append(("parameters", .array(parameters.map(\.tree)))) }
    if !body.list.isEmpty {
      members.append(
        ("requestBody", .object([("required", .boolean(isBodyRequired)), ("content", Self.content(body))])))
    }
    var responses: [(String, JSONTree)] = [(String(status), Self.response("Success.", answers))]
    // A request without valid credentials never gets further.
    let rejections: [Int]
    switch credentials {
    case .none: rejections = []
    case .token: rejections = [401, 403, 429]
    case .appKey, .appSecret: rejections = [401]
    }
    for status in Set(errors + rejections).sorted() {
      let answer = Self.response(Self.sentences[status] ?? "An error.", ["application/json": errorSchema])
      responses.append((String(status), answer))
    }
    return .object(members + [("responses", .object(responses))])
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
