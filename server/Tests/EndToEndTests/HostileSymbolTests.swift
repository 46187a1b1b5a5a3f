#if os(Linux)
  import Foundation
  import TernChildProcess
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Files that attack a server that runs, or the tool that reads them.
  @Suite(.serialized) struct HostileSymbolTests {
    @Test(.timeLimit(.minutes(30)))
    func `a hostile upload is refused with the reason, and the server goes on collecting`()
      async throws
    {
      let attack = try await Attack()
      let sample = try attack.program(build: "a1a1a1a1")
      // 17 members of 64 MiB, of which each has 65 KB.
      let zeros = try attack.gzip([UInt8](repeating: 0, count: 64 << 20))
      let bomb = Array(repeatElement(zeros, count: 17).joined())
      let packed = try attack.gzip(sample)
      let universal = Attack.overlappingArchitectures
      let cases: [(bytes: [UInt8], isPacked: Bool, code: String, reason: String)] = [
        (bomb, true, "invalid", "at most 1024 MiB"),
        (Array(packed.dropLast(9)), true, "invalid", "damaged or incomplete"),
        (sample, true, "invalid", "damaged or incomplete"),
        (Array(sample.prefix(sample.count / 2)), false, "damaged", "ends"),
        (Array(sample.prefix(30)), false, "damaged", "header"), (universal, false, "damaged", "overlap"),
        (Array("text".utf8), false, "not_symbols", "no file with symbols"), (packed, false, "not_symbols", "no file"),
      ]
      for (number, (bytes, isPacked, code, reason)) in cases.enumerated() {
        let (status, answer) = try await attack.upload(bytes, isPacked: isPacked)
        let error = try #require(answer["error"] as? [String: Any], "\(number): \(answer)")
        #expect(status == 400 && error["code"] as? String == code, "\(number): \(answer)")
        #expect((error["message"] as? String)?.contains(reason) == true, "\(number): \(answer)")
        try await attack.send("event", #","name":"after-\#(number)""#)
      }
      #expect(try await attack.upload(packed, isPacked: true).status == 200)
      let left = try FileManager.default.contentsOfDirectory(atPath: attack.workspace.path("data/symbols"))
      #expect(left.count == 1, "refused files leave nothing behind")
      #expect(try await eventually { try attack.events == cases.count })
      #expect(attack.server.stop() == .code(0))
    }

    @Test(.timeLimit(.minutes(30)))
    func `a file that crashes the symbolizer, or whose sections overlap, costs only its own frames`() async throws {
      let attack = try await Attack()
      let (good, overlapping, crashing) = ("a1a1a1a1", "b2b2b2b2", "c3c3c3c3")
      for (build, bytes) in [
        (good, try attack.program(build: good)), (overlapping, try attack.overlapping(build: overlapping)),
        (crashing, try attack.crashing(build: crashing)),
      ] {
        let (status, answer) = try await attack.upload(try attack.gzip(bytes), isPacked: true)
        try #require(status == 200, "\(build): \(answer)")
      }
      let address = String(try attack.address, radix: 16)
      // One crash with each alone, and one with all.
      for builds in [[good], [overlapping], [crashing], [good, overlapping, crashing]] {
        let frames = builds.map { #"{"code":"sample(+0x\#(address)) [\#($0)]"}"# }.joined(separator: ",")
        try await attack.send(
          "crash",
          #","name":"x","exception":{"type":"\#(builds.joined())","message":"m","frames":[\#(frames)],"stackTrace":"Thread: 1\n"}"#
        )
      }
      var found: [Attack.Occurrence] = []
      for number in 1...4 {
        found.append(try await attack.occurrence(number))
        try await attack.send("event", #","name":"after-\#(number)""#)
      }
      #expect(found[0].problem == nil && found[0].functions == ["outer"])
      #expect(
        found[2].problem?.contains("(\(crashing)) can't be read") == true && found[2].functions == [""], "\(found[2])")
      #expect(found[3].functions.first == "outer" && found[3].problem?.contains("can't be read") == true, "\(found[3])")
      #expect(try await eventually { try attack.events == 4 })
      #expect(attack.server.stop() == .code(0))
    }
  }

  /// A server with an app, and the files that attack it.
  private final class Attack {
    struct Occurrence {
      let functions: [String]
      let problem: String?
    }

    let workspace: Workspace
    let server: RunningServer
    private let app: CreatedApp
    private let token: String
    private var sent = 0

    init() async throws {
      workspace = try Workspace()
      server = try await RunningServer.start(workspace)
      app = try CreatedApp.create(workspace, "Attacked")
      let created = try workspace.run(
        ["tokens", "create", "script", "--scope", "manage", "--app", app.id, "--data", workspace.path("data")])
      try #require(created.status == 0, "\(created.error)")
      token = created.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Requests

    func upload(_ bytes: [UInt8], isPacked: Bool) async throws -> (status: Int, answer: [String: Any]) {
      try await request("symbols?name=sample", body: bytes, isPacked ? ["Content-Encoding": "gzip"] : [:])
    }

    /// Sends an event; the server must take it.
    func send(_ type: String, _ more: String) async throws {
      sent += 1
      let id = "01900000-0000-7000-8000-\(String(repeating: "0", count: 12 - "\(sent)".count))\(sent)"
      let time = Int64(Date().timeIntervalSince1970 * 1_000)
      let line =
        #"{"id":"\#(id)","type":"\#(type)","time":\#(time),"install":"01900000-0000-7000-8000-000000000009"\#(more)}"#
      let answer = try await server.post(line, to: "/v1/events", ["Tern-Key": app.key])
      try #require(answer["error"] == nil, "\(answer)")
    }

    /// The number of events that are counted.
    var events: Int {
      get throws {
        let list = try workspace.report("events", app: app.id)["events"] as? [[String: Any]] ?? []
        return list.filter { ($0["name"] as? String)?.hasPrefix("after-") == true }
          .reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
      }
    }

    func occurrence(_ number: Int) async throws -> Occurrence {
      var occurrence: [String: Any]?
      while occurrence == nil {
        let (_, answer) = try await request("reports/error?occurrence=\(number)")
        // Rows are readable shortly after they were accepted.
        occurrence = answer["occurrence"] as? [String: Any]
      }
      let thread = try #require((occurrence?["threads"] as? [[String: Any]])?.first)
      return Occurrence(
        functions: try #require(thread["frames"] as? [[String: Any]]).map { $0["function"] as? String ?? "" },
        problem: occurrence?["symbolProblem"] as? String)
    }

    private func request(
      _ path: String, body: [UInt8]? = nil, _ headers: [String: String] = [:]
    ) async throws -> (status: Int, answer: [String: Any]) {
      let url = try #require(URL(string: "\(server.address)/api/v1/apps/\(app.id)/\(path)"))
      var request = URLRequest(url: url, timeoutInterval: 600)
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
      if let body { (request.httpMethod, request.httpBody) = ("POST", Data(body)) }
      let (data, response) = try await URLSession.shared.data(for: request)
      let status = try #require((response as? HTTPURLResponse)?.statusCode)
      return (status, try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:])
    }

    // MARK: Files

    private static let source = """
      __attribute__((noinline)) int outer(int *place) { return *place + 1; }
      int main(int count, char **arguments) { return outer((int *)(long)count); }
      """

    private func run(_ tool: String, _ arguments: [String]) throws {
      let exit = try ChildProcess(tool, arguments, error: nil).wait()
      try #require(exit == .code(0), "\(tool) \(arguments)")
    }

    private func bytes(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(filePath: workspace.path(name))))
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
      try Data(bytes).write(to: URL(filePath: workspace.path(name)))
      return workspace.path(name)
    }

    func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
      try run("gzip", ["-1", "-f", try write(bytes, "packed")])
      return try self.bytes("packed.gz")
    }

    /// The file of a small program, with debug information; all have the same code.
    func program(build: String) throws -> [UInt8] {
      let code = try write(Array(Self.source.utf8), "sample.c")
      try run("clang", ["-gdwarf-5", "-O1", "-Wl,--build-id=0x\(build)", "-o", workspace.path("sample"), code])
      return try bytes("sample")
    }

    /// The address of the function `outer` in these files.
    var address: UInt64 {
      get throws {
        let names = Pipe()
        let process = try ChildProcess("nm", [workspace.path("sample")], output: names.fileHandleForWriting)
        try names.fileHandleForWriting.close()
        let text = String(decoding: names.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let exit = process.wait()
        try #require(exit == .code(0))
        let digits = try #require(text.firstMatch(of: /([0-9a-f]+) [Tt] outer/)).1
        return try #require(UInt64(digits, radix: 16))
      }
    }

    /// A universal Mach-O file with two architectures in the same 80 bytes.
    static let overlappingArchitectures: [UInt8] = {
      func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
      }
      let architecture: [UInt8] = [1, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0, 80, 0, 0, 0, 0]
      let identifier = words(0x1B, 24) + [UInt8](repeating: 7, count: 16)
      let symbols = words(2, 24, 0, 1, 0, 0)
      return [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2] + architecture + architecture
        + words(0xFEED_FACF, 0x0100_000C, 0, 2, 2, 48, 0, 0) + identifier + symbols
    }()

    /// A program whose sections of debug information are all in the same bytes.
    func overlapping(build: String) throws -> [UInt8] {
      var bytes = try program(build: build)
      func number(_ position: Int, _ count: Int) -> Int {
        (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
      }
      let (table, size, count) = (number(40, 8), number(58, 2), number(60, 2))
      let names = number(table + number(62, 2) * size + 24, 8)
      var first: ArraySlice<UInt8>?
      for section in 0..<count {
        let header = table + section * size
        guard bytes[(names + number(header, 4))...].starts(with: Array(".debug_".utf8)) else { continue }
        let place = first ?? bytes[header + 24..<header + 40]
        first = place
        bytes.replaceSubrange(header + 24..<header + 40, with: place)
      }
      try #require(first != nil)
      return bytes
    }

    /// A program whose table of lines has 40 million rows, for which the tool has no memory.
    func crashing(build: String) throws -> [UInt8] {
      _ = try program(build: build)
      let (sample, lines, result) = (workspace.path("sample"), workspace.path("lines"), workspace.path("crashing"))
      try run(
        "objcopy",
        ["-O", "binary", "--only-section=.debug_line", "--set-section-flags", ".debug_line=alloc", sample, lines])
      var table = try bytes("lines")
      // The length of the table, and after the version and two sizes that of the header (DWARF 5 §6.2.4).
      let headerEnd = 12 + (8..<12).reversed().reduce(0) { $0 << 8 | Int(table[$1]) }
      let address = try address
      let start: [UInt8] = [0, 9, 2] + (0..<8).map { UInt8(truncatingIfNeeded: address >> ($0 * 8)) }
      // Each of these instructions adds a row.
      table = Array(table.prefix(headerEnd)) + start + [UInt8](repeating: 0x4B, count: 40_000_000) + [0, 1, 1]
      for byte in 0..<4 { table[byte] = UInt8(truncatingIfNeeded: (table.count - 4) >> (byte * 8)) }
      _ = try write(table, "lines")
      try run("objcopy", ["--update-section", ".debug_line=\(lines)", sample, result])
      return try bytes("crashing")
    }
  }
#endif
