import Foundation
import Ingest
import TernEvents

/// A recorded request of another system's client (server/Tests/Fixtures/clients).
struct ClientFixture: Decodable {
  var client: String
  var method: String
  var path: String
  var headers: [String: String]
  var body: String?
  var bodyBase64: Data?

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/clients")

  static var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        .map { String($0.dropLast(".json".count)) }.sorted()
    }
  }

  init(_ name: String) throws {
    self = try JSONDecoder().decode(
      ClientFixture.self, from: try Data(contentsOf: Self.folder.appending(path: "\(name).json")))
  }

  var bytes: [UInt8] { body.map { Array($0.utf8) } ?? bodyBase64.map { Array($0) } ?? [] }

  /// The body without its compression.
  var decoded: [UInt8] {
    get throws {
      let encoding = headers.first { $0.key.lowercased() == "content-encoding" }?.value
      return try BodyDecoder.decode(bytes, encoding: encoding, limits: .clients)
    }
  }

  /// The protocol that has the address, and recognizes the body.
  var clientProtocol: (any ClientProtocol)? {
    let own = request().path.split(separator: "/")
    return ClientProtocols.all.first { candidate in
      candidate.routes.contains { route in
        let parts = route.path.split(separator: "/")
        return parts.count == own.count && zip(parts, own).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
      } && ((try? decoded) ?? []).withUnsafeBytes { candidate.recognizes($0) }
    }
  }

  /// When requests arrive that don't say when they were sent.
  static let arrived = Timestamp(millisecondsSince1970: 1_795_870_000_000)

  /// The request as the server sees it, by default a fifth of a second after it was sent.
  func request(arrived: Timestamp = Self.arrived) -> ClientRequest {
    let parts = path.split(separator: "?", maxSplits: 1)
    let headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
    let path = "/" + (parts.first ?? "").split(separator: "/").joined(separator: "/")
    return ClientRequest(
      path: path, query: parts.dropFirst().first.map(String.init) ?? "", arrived: arrived, key: testKey,
      sender: "192.0.2.1"
    ) { headers[$0] }
  }

  /// Reads the request as the server does.
  func read(_ body: [UInt8]? = nil, arrived: Timestamp = Self.arrived) throws -> ClientReading {
    guard let clientProtocol else { throw CocoaError(.fileReadNoSuchFile) }
    let request = request(arrived: arrived)
    return try (body ?? decoded).withUnsafeBytes { try clientProtocol.read($0, request) }
  }

  /// When Aptabase's session began, which its identifier says, and the most of its first second: its clients send at once.
  private var sessionStart: Timestamp? {
    guard client == "aptabase", let digits = body?.firstMatch(of: /"sessionId": ?"([0-9]{10})/)?.1 else { return nil }
    return Int64(digits).map { Timestamp(millisecondsSince1970: $0 * 1_000 + 800) }
  }

  /// The batch of the request's first key.
  func batch(app: Int64 = 1, arrived: Timestamp? = nil) throws -> IncomingBatch {
    let arrived = try arrived ?? (read().sent ?? sessionStart).map { $0 + .milliseconds(200) } ?? Self.arrived
    let reading = try read(arrived: arrived)
    return reading.batch(
      of: reading.keys[0], app: app, source: clientProtocol?.source ?? .native, received: arrived,
      request(arrived: arrived), isFirst: true)
  }
}
