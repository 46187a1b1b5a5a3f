import Foundation
import Tern
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `The system transport` {
  private func send(
    to server: TestHTTPServer, path: String = "/v1/events", timeout: Duration = .seconds(20)
  ) async throws -> TransportResult {
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
    let request = TransportRequest(
      url: url, headers: ["Tern-Key": "k", "Content-Type": "application/x-ndjson"], body: Array("{}\n".utf8),
      timeout: timeout)
    return await SystemTransport().send(request)
  }

  @Test func `sends the head and the body and returns the response`() async throws {
    let server = try TestHTTPServer(
      answer: "HTTP/1.1 200 OK\r\nContent-Length: 14\r\nRetry-After: 5\r\nConnection: close\r\n\r\n{\"accepted\":1}")
    defer { server.stop() }
    guard case .response(let response) = try await send(to: server) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(response.status == 200 && response.headers["retry-after"] == "5")
    #expect(String(decoding: response.body, as: UTF8.self) == #"{"accepted":1}"#)
    let request = try #require(server.requests.first)
    #expect(request.hasPrefix("POST /v1/events HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\n{}\n"))
    #expect(request.contains("Tern-Key: k\r\n") && !request.contains("Cookie"))
  }

  @Test(arguments: [Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(5_000_000)])
  func `accepts every timeout`(timeout: Duration) async throws {
    let server = try TestHTTPServer(answer: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    defer { server.stop() }
    let result = try await send(to: server, timeout: timeout)
    if timeout < .zero { return }
    guard case .response(let response) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(response.status == 204)
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `does not follow a redirect`(status: Int) async throws {
    let target = try TestHTTPServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"accepted\":1}")
    let server = try TestHTTPServer(
      answer: "HTTP/1.1 \(status) Moved\r\nLocation: http://127.0.0.1:\(target.port)/x\r\nContent-Length: 0\r\n\r\n")
    defer {
      server.stop()
      target.stop()
    }
    let result = try await send(to: server)
    if case .response(let response) = result { #expect(response.status == status) }
    #expect(target.requests.isEmpty)
  }

  @Test(arguments: [("http://224.0.0.1", TransportFailure.Kind.offline), ("http://127.0.0.1:1", .connection)])
  func `distinguishes an unreachable address from one that does not answer`(
    address: String, kind: TransportFailure.Kind
  ) async throws {
    // A connection to a multicast address is impossible on any network, so nothing is sent.
    let url = try #require(URL(string: address))
    let result = await SystemTransport().send(TransportRequest(url: url, headers: [:], body: [1]))
    guard case .failure(let failure) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(failure.kind == kind, "\(failure.message)")
  }

  @Test func `keeps no cookies`() async throws {
    let server = try TestHTTPServer(
      answer: "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    defer { server.stop() }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let transport = SystemTransport()
    for _ in 0..<2 { _ = await transport.send(TransportRequest(url: url, headers: [:], body: [1])) }
    #expect(server.requests.count == 2 && server.requests.allSatisfy { !$0.contains("Cookie: a=b") })
  }

  @Test func `reports a refused connection`() async throws {
    let server = try TestHTTPServer(answer: nil)
    server.stop()
    guard case .failure(let failure) = try await send(to: server) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.kind == .connection && !failure.message.isEmpty)
  }

  @Test func `reports a closed connection`() async throws {
    let server = try TestHTTPServer(answer: nil)
    defer { server.stop() }
    guard case .failure(let failure) = try await send(to: server) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.kind == .connection)
  }

  @Test func `fails when a response is truncated`() async throws {
    let server = try TestHTTPServer(
      answer: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{\"accepted\":1}")
    defer { server.stop() }
    guard case .failure = try await send(to: server) else {
      Issue.record("It ended otherwise.")
      return
    }
  }

  @Test func `limits the time of the whole response, not only of pauses`() async throws {
    let server = try TestHTTPServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", then: .drip)
    defer { server.stop() }
    guard case .failure(let failure) = try await send(to: server, timeout: .milliseconds(300)) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.kind == .timedOut, "\(failure.message)")
  }

  @Test func `aborts an endless response`() async throws {
    let server = try TestHTTPServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n", then: .flood)
    defer { server.stop() }
    guard case .failure(let failure) = try await send(to: server) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.kind == .connection && failure.message.contains("too long"))
  }

  @Test func `aborts a request in flight when its task is cancelled`() async throws {
    let server = try TestHTTPServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", then: .drip)
    defer { server.stop() }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let transport = SystemTransport()
    let sending = Task { await transport.send(TransportRequest(url: url, headers: [:], body: [1])) }
    while server.requests.isEmpty { await Task.yield() }
    sending.cancel()
    guard case .failure(let failure) = await sending.value else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.kind == .connection)
  }

  @Test func `returns when its task is cancelled`() async throws {
    let transport = SystemTransport()
    let url = try #require(URL(string: "http://192.0.2.1:9/"))
    let sending = Task { await transport.send(TransportRequest(url: url, headers: [:], body: [1])) }
    sending.cancel()
    guard case .failure = await sending.value else {
      Issue.record("It ended otherwise.")
      return
    }
  }

  @Test func `carries a client's events to a server`() async throws {
    let server = try TestHTTPServer(
      answer: "HTTP/1.1 200 OK\r\nContent-Length: 14\r\nConnection: close\r\n\r\n{\"accepted\":2}")
    defer { server.stop() }
    let harness = try TestHarness()
    var environment = harness.environment()
    environment.transport = SystemTransport()
    var configuration = TernClient.Configuration(
      key: "k", collector: try #require(URL(string: "http://127.0.0.1:\(server.port)")))
    configuration.queueDirectory = harness.directory
    let tern = try TernClient(configuration, environment: environment)
    tern.track("Opened")
    #expect(await tern.flush() == .sent(2))
    #expect(server.requests.first?.contains(#""name":"Opened""#) == true)
    await tern.shutdown()
  }
}
