import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import TernBase
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Tests which threads answer requests, and what is done for each request on the thread of its connection.
@Suite(.timeLimit(.minutes(30))) struct ConnectionThreadTests {
  @Test func `tasks run on the thread of their connection, also after they have waited`() async {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let places = await withTaskExecutorPreference(ConnectionThread(loop)) {
      let before = loop.inEventLoop
      try? await loop.scheduleTask(in: .milliseconds(1)) {}.futureResult.get()
      return [before, loop.inEventLoop]
    }
    #expect(places == [true, true])
  }

  @Test func `events are taken on the thread of their connection, and everything else is answered elsewhere`()
    async throws
  {
    let places = Locked<[String: Set<Bool>]>([:])
    let note: @Sendable (String) -> Void = { what in
      let isConnection = MultiThreadedEventLoopGroup.currentEventLoop != nil
      places.withLock { _ = $0[what, default: []].insert(isConnection) }
    }
    let fixture = try Fixture(wallTime: {
      note("events")
      return WallClock.system()
    })
    var noting = fixture.dependencies
    noting.problems = {
      note("readiness")
      return []
    }
    let dependencies = noting
    try await LiveServer.use(logger: dependencies.logger) { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await connection.receive(until: "ready\"}").hasPrefix("HTTP/1.1 200 OK"))
        let body = line("Play")
        try await connection.send(
          "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nTern-Key: \(fixture.app.key)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try await connection.receive(until: "\"rejected\":[]}").contains("\"accepted\":1"))
      }
    } server: { onListening in
      CollectorServer(.init(port: 0, settings: fixture.settings), dependencies: dependencies, onListening: onListening)
    }
    #expect(fixture.warehouse.names == ["Play"])
    #expect(places.withLock { $0 } == ["events": [true], "readiness": [false]])
  }

  @Test(arguments: [(true, true), (false, false)])
  func `a request has a deadline until it has arrived as a whole`(isWhole: Bool, isOpen: Bool) throws {
    let channel = EmbeddedChannel()
    let limits = CollectorLimits()
    let registry = ConnectionRegistry(maximum: 10, maximumPerClient: 10)
    try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits, registry: registry))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    let head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
    try channel.writeInbound(HTTPRequestPart.head(head))
    if isWhole { try channel.writeInbound(HTTPRequestPart.end(nil)) }
    channel.embeddedEventLoop.advanceTime(by: .seconds(31))
    #expect(channel.isActive == isOpen)
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }
}
