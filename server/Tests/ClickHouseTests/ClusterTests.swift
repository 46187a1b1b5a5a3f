import ClickHouseTestSupport
import Testing

@testable import ClickHouse

/// The client against real servers, which `Scripts/clickhouse test` starts.
@Suite(.enabled(if: Cluster.isThere), .serialized) struct ClusterTests {
  /// Creates a table of its own in memory, and drops it at the end.
  private func withTable(
    _ columns: [NativeColumn], on server: ClickHouseServer, _ body: (ClickHouseClient, String) async throws -> Void
  ) async throws {
    let client = try Cluster.client()
    let table = "trial_\(UInt64.random(in: 0...UInt64.max))"
    let list = columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    try await client.execute("CREATE TABLE \(table) (\(list)) ENGINE = Memory", on: server)
    do {
      try await body(client, table)
    } catch {
      try? await client.execute("DROP TABLE \(table)", on: server)
      throw error
    }
    try await client.execute("DROP TABLE \(table)", on: server)
  }

  private func count(_ table: String, _ client: ClickHouseClient, _ server: ClickHouseServer) async throws -> UInt64? {
    try await client.rows("SELECT count() AS n FROM \(table)", on: server).first?["n"]?.numbers.first
  }

  @Test(arguments: Cluster.engines) func `boundary values of every type go there and back`(
    server: ClickHouseServer
  ) async throws {
    var row = NativeColumn("row", .one(.uint32))
    for number in 0..<300 { row.append(UInt64(number)) }
    let block = NativeBlock([row] + SampleBlock.block(rows: 300).columns)
    try await withTable(block.columns, on: server) { client, table in
      try await client.insert(try #require(ClickHouseClient.packed(block)), into: table, on: server)
      let names = block.columns.map(\.name).joined(separator: ", ")
      let answer = try await client.rows("SELECT \(names) FROM \(table) ORDER BY row", on: server)
      for column in block.columns {
        let parts = answer.compactMap { $0[column.name] }
        #expect(parts.allSatisfy { $0.type == column.type }, "\(column.name)")
        #expect(parts.flatMap(\.numbers) == column.numbers, "\(column.name)")
        #expect(parts.flatMap(\.strings) == column.strings, "\(column.name)")
        if column.type.isArray {
          let lengths = parts.flatMap { part in (0..<part.rows).map { part.elements(of: $0).count } }
          #expect(lengths == (0..<300).map { column.elements(of: $0).count }, "\(column.name)")
        }
      }
    }
  }

  @Test(arguments: Cluster.engines) func `a body that is cut off leaves no row`(server: ClickHouseServer) async throws {
    var (id, text) = (NativeColumn("id", .one(.uint64)), NativeColumn("text", .one(.string)))
    for _ in 0..<3_000 {
      id.append(UInt64.random(in: 0...UInt64.max))
      text.append(text: String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }
    let packed = try #require(ClickHouseClient.packed(NativeBlock([id, text])))
    #expect(packed.count > 50 << 10)
    try await withTable([id, text], on: server) { client, table in
      for end in Array(stride(from: 1, to: packed.count, by: 1 << 10)) + [packed.count - 8, packed.count - 1] {
        await #expect(throws: ClickHouseError.self, "\(end)") {
          try await client.insert(Array(packed.prefix(end)), into: table, on: server)
        }
        #expect(try await count(table, client, server) == 0, "\(end)")
      }
      try await client.insert(packed, into: table, on: server)
      #expect(try await count(table, client, server) == 3_000)
    }
  }

  @Test(arguments: Cluster.engines) func `an error of the server has its number and words`(
    server: ClickHouseServer
  ) async throws {
    let client = try Cluster.client()
    let error = await #expect(throws: ClickHouseError.self) {
      try await client.rows("SELECT * FROM no_such_table", on: server)
    }
    #expect(error?.code == .refused && error?.exception == 60 && error?.message.contains("no_such_table") == true)
    // The error comes after many rows.
    await #expect(throws: ClickHouseError.self) {
      try await client.rows("SELECT throwIf(number = 900000) AS x FROM numbers(1000000)", on: server)
    }
  }

  @Test(arguments: Cluster.engines) func `a wrong password is told from other errors, and is in no text`(
    server: ClickHouseServer
  ) async throws {
    let client = ClickHouseClient(try ClickHouseCredentials(user: "tern", password: "wrong-secret"))
    let error = await #expect(throws: ClickHouseError.self) { try await client.execute("SELECT 1", on: server) }
    #expect(error?.code == .unauthorized && error?.message.contains("wrong-secret") == false)
  }

  @Test(arguments: Cluster.engines) func `a user's profile changes no answer`(server: ClickHouseServer) async throws {
    let client = try Cluster.client(isProfiled: true)
    let empty = try await client.rows(
      "SELECT count() AS rows, sum(x) AS total FROM (SELECT toUInt64(1) AS x) WHERE x = 7", on: server)
    #expect(empty.flatMap { $0["rows"]?.numbers ?? [] } == [0] && empty.first?["total"]?.numbers == [0])
    let numbers = try await client.rows("SELECT number AS n FROM numbers(10) ORDER BY n", on: server)
    #expect(numbers.flatMap { $0["n"]?.numbers ?? [] } == Array(0..<10))
  }

  @Test func `a statement that fails after status 200, or whose connection is cut, is no success`() async throws {
    let (server, client) = (try Cluster.modern(), try Cluster.client())
    for (fault, code) in [
      ("exception", ClickHouseError.Code.refused), ("exception-after", .refused), ("cut-before", .unreachable),
      ("cut-after", .unreachable), ("cut-answer", .unreachable),
    ] {
      let error = await #expect(throws: ClickHouseError.self, "\(fault)") {
        try await client.rows("SELECT 1 AS x", on: server, settings: ["tern_fault": fault])
      }
      #expect(error?.code == code, "\(fault): \(error?.message ?? "")")
    }
  }

  @Test func `a certificate is trusted by the file of its authority only`() async throws {
    let server = try ClickHouseServer(try Cluster.variable("TERN_CLICKHOUSE_TLS"))
    let authority = try Cluster.variable("TERN_CLICKHOUSE_CA")
    try await Cluster.client(authorities: authority).execute("SELECT 1", on: server)
    for other in [nil, "/does/not/exist.pem"] {
      let client = try Cluster.client(authorities: other)
      let error = await #expect(throws: ClickHouseError.self) { try await client.execute("SELECT 1", on: server) }
      #expect(error?.code == .untrusted, "\(error?.message ?? "")")
    }
  }
}
