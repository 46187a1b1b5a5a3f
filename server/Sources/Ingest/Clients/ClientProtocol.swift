import TernEvents

/// The protocol of another system's clients: its addresses, how its requests are read, and what its clients need as answers.
///
/// A protocol is a folder of this module and a line in ``ClientProtocols``.
package protocol ClientProtocol: Sendable {
  var source: IngestProtocol { get }
  /// What the system is called, for descriptions.
  var title: String { get }
  var routes: [ClientRoute] { get }
  /// Returns what its clients need to be set, by client.
  func setups(_ target: ClientTarget) -> [ClientSetup]
  /// Returns true for a body of this protocol; only asked where protocols share an address.
  func recognizes(_ body: UnsafeRawBufferPointer) -> Bool
  /// Reads a decompressed body.
  ///
  /// - Throws: ``IngestError`` for a body of which nothing can be read. One event's fault must not cost the others.
  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading
  /// Returns what the client needs to forget its events, or to keep them.
  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer
}

extension ClientProtocol {
  package func recognizes(_ body: UnsafeRawBufferPointer) -> Bool { true }
}

/// An address of a protocol.
package struct ClientRoute: Sendable, Hashable {
  package enum Method: Sendable { case get, post }
  package var method: Method
  /// The path without a slash at its end, in the form of the router: `:name` stands for any part.
  package var path: String

  package static func get(_ path: String) -> ClientRoute { ClientRoute(method: .get, path: path) }
  package static func post(_ path: String) -> ClientRoute { ClientRoute(method: .post, path: path) }
}

/// What became of a request.
package enum ClientOutcome: Sendable {
  /// All that can be stored is.
  case stored(ClientReading)
  /// No app has the key.
  case unknownKey
  /// Nothing is stored. Without a delay, another attempt would fail, too.
  case failed(status: Int, code: String, message: String, retryAfterSeconds: Int?)
}

/// The answer to a client.
package struct ClientAnswer: Sendable, Hashable {
  package var status: Int
  package var contentType = "application/json"
  package var body: [UInt8] = []
  package var retryAfterSeconds: Int?

  /// Creates an answer of JSON.
  init(_ status: Int, json: String, retryAfterSeconds: Int? = nil) {
    (self.status, body, self.retryAfterSeconds) = (status, Array(json.utf8), retryAfterSeconds)
  }

  /// Creates an answer of JSON.
  init(_ status: Int, retryAfterSeconds: Int? = nil, _ write: (inout JSONWriter) -> Void) {
    var json = JSONWriter(capacity: 160)
    write(&json)
    (self.status, body, self.retryAfterSeconds) = (status, json.bytes, retryAfterSeconds)
  }

  /// Creates an answer of text.
  init(_ status: Int, text: String, retryAfterSeconds: Int? = nil) {
    (self.status, body, self.retryAfterSeconds) = (status, Array(text.utf8), retryAfterSeconds)
    contentType = text.isEmpty ? "" : "text/plain; charset=utf-8"
  }

  /// Creates an answer of an image of one transparent pixel.
  static let image: ClientAnswer = {
    var answer = ClientAnswer(200, text: "")
    (answer.contentType, answer.body) = ("image/gif", transparentPixel)
    return answer
  }()

  /// A GIF of one transparent pixel.
  package static let transparentPixel: [UInt8] =
    Array("GIF89a".utf8) + [
      1, 0, 1, 0, 0x80, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
    ]

  /// An error with code and message at the top, where most clients look for them.
  static func error(_ status: Int, _ code: String, _ message: String, retryAfterSeconds: Int? = nil) -> ClientAnswer {
    ClientAnswer(status, retryAfterSeconds: retryAfterSeconds) { json in
      json.raw("{\"success\":false,\"code\":")
      json.string(code)
      json.raw(",\"message\":")
      json.string(message)
      json.raw("}")
    }
  }

  /// The error of an unknown key, in that form.
  static let noApp = error(401, ClientOutcome.noApp.code, ClientOutcome.noApp.message)
}

extension ClientOutcome {
  /// The code and the sentence of an unknown key.
  static let noApp = (code: "unknown_key", message: "No app has this key; `tern apps set --add-write-key` adds one.")
}

/// The protocols of other systems.
package enum ClientProtocols {
  package static let all: [any ClientProtocol] = [
    SegmentProtocol(), PostHogProtocol(), MixpanelProtocol(), AmplitudeProtocol(), SnowplowProtocol(), GA4Protocol(),
    UmamiProtocol(), PlausibleProtocol(), AptabaseProtocol(), MatomoProtocol(), SentryProtocol(),
    OpenTelemetryProtocol(),
    BugsnagProtocol(),
  ]
}
