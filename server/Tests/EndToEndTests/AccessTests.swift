import Foundation
import TernChildProcess
import Testing

/// Users, tokens, shared links and the audit log by the command line, while the server runs.
@Suite struct AccessTests {
  @Test func `rights given and taken by commands apply to a running server at once`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Shared")
    func tern(_ arguments: String...) throws -> String {
      let (status, output, error) = try workspace.run(arguments + ["--data", workspace.path("data")])
      try #require(status == 0, "tern \(arguments): \(error)")
      return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let link = try String(contentsOfFile: workspace.path("data/login-link"), encoding: .utf8)
    #expect(link.hasPrefix(server.address + "/login?code="), "no terminal, so the link is in a file")

    let token = try tern("tokens", "create", "script", "--app", app.id, "--for", "7d")
    #expect(try await server.status("/api/v1/apps/\(app.id)/reports/overview", token: token) == 200)
    #expect(try await server.status("/api/v1/apps/\(app.id)/reports/live", token: token) == 403)
    #expect(try tern("tokens", "list").contains("script"))
    let tokens = try tern("tokens", "list", "--json")
    #expect(tokens.hasPrefix(#"[{"id":1,"name":"script","scopes":["read"],"app":\#(app.id),"#), "\(tokens)")
    _ = try tern("tokens", "revoke", "1")
    #expect(try await server.status("/api/v1/apps", token: token) == 401)

    let shared = try tern("links", "create", "events", "--app", app.id, "-p", "days=7", "--url", server.address)
    let path = try #require(shared.firstMatch(of: /\/shared\/.+/)).0
    #expect(try await server.status(String(path)) == 200)
    #expect(try tern("links", "list").contains("days=7"))
    let links = try tern("links", "list", "--json")
    #expect(links.hasPrefix(#"[{"app":\#(app.id),"id":1,"page":"events","query":"days=7","name":"Events"#), "\(links)")
    #expect(!links.contains(path.dropFirst("/shared/".count)))
    _ = try tern("links", "revoke", "1")
    #expect(try await server.status(String(path)) == 404)

    let invitation = try tern("users", "invite", "ann", "--app", app.id, "--url", server.address)
    let welcome = try #require(invitation.firstMatch(of: /\/welcome.+/)).0
    #expect(try await server.status(String(welcome)) == 200)
    _ = try tern("users", "set", "ann", "--role", "editor", "--all-apps")
    #expect(try tern("users", "list").contains(/ann\s+editor\s+all\s+yes\s+never\s+0\s+no/))
    #expect(try tern("users", "log-out", "ann") == "Sessions ended: 0")
    #expect(try tern("users", "list", "--json").contains(#""name":"ann","role":"editor""#))
    #expect(try tern("login-link", "--user", "ann").contains("/login?code="))
    _ = try tern("users", "remove", "ann")
    #expect(try await server.status(String(welcome)) == 401)

    _ = try tern("apps", "set", app.id, "--name", "Renamed", "--tracking-id", "UA-777-1")
    #expect(try tern("apps", "list").contains(/Renamed .* UA-777-1/))
    let zone = try tern("apps", "set", app.id, "--time-zone", "Asia/Tokyo")
    #expect(zone.contains("Asia/Tokyo") && zone.contains("Recounted the days of app \(app.id)"))

    let log = try tern("audit", "--json").split(separator: "\n").reversed().map(String.init)
    let actions = log.compactMap { $0.firstMatch(of: /"action":"([^"]+)"/).map { String($0.1) } }
    #expect(
      actions == [
        "login link created", "app created", "token created", "token revoked", "page shared",
        "shared link revoked", "user invited", "user changed", "session ended", "login link created", "user removed",
        "app changed", "app changed",
      ])
    #expect(try tern("audit", "--limit", "1").contains("command line"))
    #expect(try tern("audit", "--failed").contains("token"))
    #expect(try tern("audit", "--prune", "1d").contains("0 entries"))
    #expect(server.stop() == .code(0))
  }
}
