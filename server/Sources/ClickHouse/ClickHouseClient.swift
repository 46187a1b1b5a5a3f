import TernBase
import TernGzip
import TernHTTP
import TernValues

/// Sends statements to ClickHouse servers over their HTTP interface.
package struct ClickHouseClient: Sendable {
  private let http: HTTPClient
  private let credentials: ClickHouseCredentials
  private let database: String
  private let authorities: String?
  private var timeout: Duration
  /// The settings of all statements, which copies of the client share.
  private let plainSettings = StatementSettings()

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - database: The database in which statements look for tables.
  ///   - authorities: A PEM file with the certificate authorities to trust for `https`; `nil` for those of the system.
  ///   - timeout: The timeout of each statement.
  package init(
    _ credentials: ClickHouseCredentials, database: String = "default", authorities: String? = nil,
    timeout: Duration = .seconds(60)
  ) {
    http = HTTPClient()
    self.credentials = credentials
    self.database = database
    self.authorities = authorities
    self.timeout = timeout
  }

  /// Returns a client that waits for each answer for no longer than a time.
  package func limited(to timeout: Duration) -> ClickHouseClient {
    var client = self
    client.timeout = min(timeout, self.timeout)
    return client
  }

  /// Executes a statement without an answer.
  ///
  /// - Throws: ``ClickHouseError``; with code `unreachable` the statement may have been executed.
  package func execute(
    _ statement: String, on server: ClickHouseServer, settings: [String: String] = [:]
  ) async throws(ClickHouseError) {
    _ = try await send(Array(statement.utf8), query: nil, server, settings)
  }

  /// Asks for rows.
  ///
  /// - Parameters:
  ///   - statement: A query without `FORMAT`.
  ///   - maximumBytes: The longest answer; a longer one is an error.
  ///   - timeout: The time for the answer, if it has less than other statements.
  package func rows(
    _ statement: String, on server: ClickHouseServer, settings: [String: String] = [:], maximumBytes: Int = 64 << 20,
    timeout: Duration? = nil
  ) async throws(ClickHouseError) -> [NativeBlock] {
    // An error after the first rows would be a text that follows them, so the server waits with the first row for the last.
    var settings = settings
    settings["wait_end_of_query"] = "1"
    let answer = try await send(
      Array("\(statement) FORMAT Native".utf8), query: nil, server, settings, maximumBytes: maximumBytes,
      timeout: timeout)
    return try NativeBlock.blocks(answer)
  }

  /// Inserts a block as a whole or not at all: a gzip body that is cut off anywhere is refused.
  ///
  /// - Parameter packed: A block in gzip form, from ``packed(_:)``.
  package func insert(
    _ packed: [UInt8], into table: String, on server: ClickHouseServer, settings: [String: String] = [:]
  ) async throws(ClickHouseError) {
    var settings = settings
    // Otherwise an error after the first rows has status 200, and its text as the body.
    settings["wait_end_of_query"] = "1"
    let answer = try await send(
      packed, query: "INSERT INTO \(table) FORMAT Native", server, settings, isPacked: true)
    guard answer.isEmpty else { throw ClickHouseError(.damaged, "\(server) answered an insert with a text.") }
  }

  /// A block as the body of an insert; `nil` for lack of memory.
  package static func packed(_ block: NativeBlock) -> [UInt8]? { gzip(block.encoded, level: 1) }

  /// Sends a statement with the settings that all need, so that it means the same for every user.
  private func send(
    _ body: [UInt8], query: String?, _ server: ClickHouseServer, _ settings: [String: String], isPacked: Bool = false,
    maximumBytes: Int = 1 << 20, timeout: Duration? = nil
  ) async throws(ClickHouseError) -> [UInt8] {
    let all = try await knownSettings(of: server, timeout: timeout).merging(settings) { $1 }
    do throws(ClickHouseError) {
      return try await exchange(
        body, query: query, server, all, isPacked: isPacked, maximumBytes: maximumBytes, timeout: timeout)
    } catch {
      // It may be another version when it answers again.
      if error.code == .unreachable || error.exception == StatementSettings.unknownSetting {
        plainSettings.forget(server)
      }
      throw error
    }
  }

  /// Returns the settings of all statements that a server knows, and asks it once.
  private func knownSettings(
    of server: ClickHouseServer, timeout: Duration?
  ) async throws(ClickHouseError) -> [String: String] {
    if let known = plainSettings.known(by: server) { return known }
    var settings = StatementSettings.forNames
    while true {
      do throws(ClickHouseError) {
        let answer = try await exchange(
          Array(StatementSettings.names.utf8), query: nil, server, settings, timeout: timeout)
        return plainSettings.note(answer, from: server)
      } catch {
        guard let name = StatementSettings.refused(error, of: settings) else { throw error }
        settings[name] = nil
      }
    }
  }

  private func exchange(
    _ body: [UInt8], query: String?, _ server: ClickHouseServer, _ settings: [String: String], isPacked: Bool = false,
    maximumBytes: Int = 1 << 20, timeout: Duration? = nil
  ) async throws(ClickHouseError) -> [UInt8] {
    var parameters = settings
    parameters["database"] = database
    parameters["query"] = query
    let address = parameters.sorted { $0.key < $1.key }
      .map { "\(PercentCoding.encode($0))=\(PercentCoding.encode($1))" }.joined(separator: "&")
    var headers = ["X-ClickHouse-User": credentials.user, "X-ClickHouse-Key": credentials.password]
    headers["Content-Encoding"] = isPacked ? "gzip" : nil
    headers["Content-Type"] = "application/octet-stream"
    let result = await http.send(
      HTTPClient.Request(
        .post, "\(server.url)/?\(address)", headers: headers, body: body,
        timeout: min(timeout ?? self.timeout, self.timeout),
        maximumResponseBytes: maximumBytes, authorities: authorities))
    switch result {
    case .success(let response):
      if let error = ClickHouseError(response, from: server) { throw error }
      return response.body
    case .failure(let failure): throw ClickHouseError(failure, from: server)
    }
  }
}

extension ClickHouseError {
  /// The exception of an answer; `nil` if the statement was executed.
  init?(_ response: TransportResponse, from server: ClickHouseServer) {
    let header = response.headers["x-clickhouse-exception-code"]
    guard response.status != 200 || header != nil else { return nil }
    // ClickHouse's texts may quote the statement, which is bounded by this.
    let text = String(decoding: response.body.prefix(600), as: UTF8.self)
      .split { $0.isNewline }.joined(separator: " ").filter { !$0.isASCII || $0 >= " " }
    let number = header.flatMap { Int($0) } ?? Self.number(in: text)
    // Authentication failed, required, a wrong or unknown user, no access.
    let isDenied =
      [401, 403].contains(response.status) || number.map { [192, 193, 194, 497, 516].contains($0) } == true
    self.init(
      isDenied ? .unauthorized : .refused,
      "\(server) answered \(response.status)\(number.map { ", exception \($0)" } ?? ""): \(text.isEmpty ? "no text" : text)",
      exception: number)
  }

  /// The number at the beginning of an exception's text, which older servers have nowhere else.
  private static func number(in text: String) -> Int? {
    let opening = "Code: "
    return text.hasPrefix(opening) ? Int(text.dropFirst(opening.count).prefix { $0.isASCII && $0.isNumber }) : nil
  }

  init(_ failure: HTTPClient.Failure, from server: ClickHouseServer) {
    switch failure.kind {
    case .offline, .timedOut, .connection:
      self.init(.unreachable, "\(server) does not answer: \(failure.message).")
    case .untrusted:
      self.init(
        .untrusted, "The certificate of \(server) is not trusted: \(failure.message). Name the file of its authority.")
    case .tooLong: self.init(.damaged, "The answer of \(server) is too long.")
    case .cancelled: self.init(.cancelled, failure.message)
    }
  }
}
