import AppCatalog
import HTTPTypes
import Hummingbird
import NIOCore
import Outgoing
import SignOn
import SignOnTestSupport
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import HTTP

/// Tests sign-ins with a provider that answers over HTTP on this machine.
@Suite struct SignOnNetworkTests {
  private static let description = "/.well-known/openid-configuration"

  /// Runs a provider and a sign-on over libcurl.
  ///
  /// - Parameter held: A path that is answered only at the end.
  private func withServer(
    timeout: Duration = .seconds(60), held: String? = nil,
    _ body: @escaping @Sendable (FakeProvider, SignOnProvider) async throws -> Void
  ) async throws {
    let box = Locked<FakeProvider?>(nil)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let responder = CallbackResponder<BasicRequestContext> { request, _ in
      if request.uri.path == held { for await _ in gate {} }
      let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
      let answer = box.withLock { $0 }?.answer(
        request.uri.path, body: text, authorization: request.headers[.authorization])
      var headers = HTTPFields()
      for (name, value) in answer?.headers ?? [:] {
        let name = try #require(HTTPField.Name(name))
        headers[name] = value
      }
      return Response(
        status: .init(code: answer?.status ?? 500), headers: headers,
        body: .init(byteBuffer: ByteBuffer(bytes: answer?.body ?? [])))
    }
    try await LiveServer.use(responder) { port in
      defer { opening.finish() }
      let fake = FakeProvider(
        issuer: "http://localhost:\(port)", keys: [.rsa("k")], now: WallClock.system)
      box.withLock { $0 = fake }
      let outgoing = OutgoingClient(.init(secret: [], timeout: timeout), wallTime: WallClock.system)
      let provider = SignOnProvider(
        fake.settings,
        exchange: { request throws(OutgoingError) in try await outgoing.exchange(request) },
        wallTime: WallClock.system, uptime: { .zero })
      try await body(fake, provider)
    }
  }

  private static func signIn(_ fake: FakeProvider, _ provider: SignOnProvider) async throws -> IDToken {
    let redirect = "https://tern.example.org/sign-in/company/callback"
    let (attempt, address) = try await provider.begin(redirect: redirect, next: "/")
    let (code, state) = fake.signIn(address)
    return try await provider.finish(attempt, code: code, state: state, issuer: nil, redirect: redirect)
  }

  private static func failure(_ fake: FakeProvider, _ provider: SignOnProvider) async -> String {
    do { _ = try await signIn(fake, provider) } catch { return (error as? SignOnError)?.message ?? "\(error)" }
    return "none"
  }

  @Test func `a person signs in over HTTP`() async throws {
    try await withServer { fake, provider in
      let token = try await Self.signIn(fake, provider)
      #expect(token.subject == "ann-1")
      #expect(fake.state.withLock { $0.requests } == [Self.description, "/token", "/keys"])
    }
  }

  @Test(arguments: [description, "/token", "/keys"]) func `an answer that is too long is refused`(
    path: String
  ) async throws {
    try await withServer { fake, provider in
      let huge = Array("{\"a\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 8 << 20)
      fake.change { $0.answers[path] = FakeProvider.Answer(body: huge) }
      #expect(await Self.failure(fake, provider).contains("can't be fetched"))
    }
  }

  @Test(arguments: [description, "/token", "/keys"]) func `a redirect isn't followed`(path: String) async throws {
    try await withServer { fake, provider in
      fake.change { $0.answers[path] = FakeProvider.Answer(status: 302, headers: ["Location": "/elsewhere"]) }
      #expect(await Self.failure(fake, provider).contains("answered 302"))
      #expect(fake.count("/elsewhere") == 0)
    }
  }

  @Test(arguments: [description, "/token", "/keys"]) func `an answer that takes too long is refused`(
    path: String
  ) async throws {
    try await withServer(timeout: .milliseconds(300), held: path) { fake, provider in
      // Steps before it may be late as well on a busy machine.
      #expect(await Self.failure(fake, provider).contains("can't be fetched: The request timed out"))
    }
  }
}
