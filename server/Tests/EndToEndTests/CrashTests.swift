import Foundation
import TernChildProcess
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if os(Linux)
  /// A server that is killed while it stores a request.
  @Suite(.serialized) struct CrashTests {
    @Test(arguments: ["/collect", "/batch", "/v1/events", "/logs"])
    func `a request interrupted by a crash is not acknowledged, and counts once when it is sent again`(
      path: String
    ) async throws {
      let workspace = try Workspace()
      var server = try await RunningServer.start(workspace)
      let app = try CreatedApp.create(workspace, "Crash")
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      let first = await status(of: try request(1, path, app, now, server))
      try #require(first == 200)
      // The kernel kills the process at its next write beyond the first byte of a file. That write is the
      // transaction's, because the first request's event has made the file longer.
      let limits = ["--pid", String(server.process.identifier), "--fsize=1:1"]
      let limiting = try workspace.start(URL(filePath: "/usr/bin/prlimit"), limits, output: "limit")
      try #require(limiting.wait() == .code(0), "\(workspace.text("limit"))")
      let answer = await status(of: try request(2, path, app, now, server))
      #expect(answer == nil || answer == 503, "\(answer ?? 0)")
      // Kills the process, where the write would only fail.
      guard case .signal = server.kill() else {
        Issue.record("the server ended by itself")
        return
      }

      server = try await RunningServer.start(workspace, port: server.port)
      let before = try events(workspace, app)
      #expect(before == 1, "nothing of it was stored")
      for number in [2, 1, 2] {
        let answer = await status(of: try request(number, path, app, now, server))
        #expect(answer == 200)
      }
      #expect(server.stop() == .code(0))
      let after = try events(workspace, app)
      #expect(after == 2)
      let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
      #expect(status == 0, "\(output)")
    }

    private func request(
      _ number: Int, _ path: String, _ app: CreatedApp, _ now: Int64, _ server: RunningServer
    ) throws -> URLRequest {
      var request = URLRequest(url: try #require(URL(string: server.address + path)), timeoutInterval: 30)
      request.httpMethod = "POST"
      let id = "01900000-0000-7000-8000-00000000000\(number)"
      switch path {
      case "/v1/events":
        request.setValue(app.key, forHTTPHeaderField: "Tern-Key")
        request.httpBody = Data(
          #"{"id":"\#(id)","type":"event","name":"Play","time":\#(now),"install":"\#(id)"}"#.utf8)
      case "/logs":
        request.setValue(app.appSecret, forHTTPHeaderField: "App-Secret")
        request.setValue("01900000-0000-7000-8000-000000000009", forHTTPHeaderField: "Install-ID")
        request.httpBody = Data(#"{"logs":[{"type":"event","id":"\#(id)","name":"Play","timestamp":\#(now)}]}"#.utf8)
      default:
        request.httpBody = Data(
          "v=1&tid=\(app.trackingID)&cid=7&t=event&ec=Video&ea=Play&z=\(number)&ht=\(now)".utf8)
      }
      return request
    }

    /// The status of the response; `nil` without one.
    private func status(of request: @autoclosure () throws -> URLRequest) async -> Int? {
      guard let request = try? request(), let (_, response) = try? await URLSession.shared.data(for: request) else {
        return nil
      }
      return (response as? HTTPURLResponse)?.statusCode
    }

    private func events(_ workspace: Workspace, _ app: CreatedApp) throws -> Int? {
      (try workspace.report("overview", app: app.id)["totals"] as? [String: Int])?["events"]
    }
  }
#endif
