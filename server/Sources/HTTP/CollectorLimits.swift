import NIOCore

/// The limits that keep clients from harming each other or the server.
package struct CollectorLimits: Sendable, Hashable {
  /// The limits of every collector; tests have others.
  package static let standard = CollectorLimits()

  /// The maximum number of bytes of requests being read, parsed or awaiting their commit, in total. Beyond it, clients
  /// are told to retry later.
  var maximumPendingBytes = 64 << 20
  /// Half of those bytes: the share of one client address or one app. Beyond it, the owner's costliest incomplete bodies are
  /// aborted; if there are none, its requests are told to retry later. Behind an untrusted proxy, all clients have one
  /// address.
  var maximumPendingBytesPerOwner: Int { maximumPendingBytes / 2 }
  /// The time in which each further ``minimumBodyProgress`` bytes of a body must arrive. The first interval has no
  /// minimum.
  var bodyProgressInterval = Duration.seconds(5)
  /// The minimum number of bytes of an incomplete body that must arrive in each ``bodyProgressInterval``.
  var minimumBodyProgress = 1 << 10
  /// The maximum number of open connections. Beyond it, connections without a request are closed, oldest first; if all
  /// have one, new connections wait in the system's queue.
  package var maximumConnections = 4_096
  /// The maximum number of connections per client address; beyond it, connections of that address are closed. Trusted
  /// proxies have no such limit.
  package var maximumConnectionsPerClient = 3_072
  /// The maximum size of the head of a request in bytes.
  var maximumHeadBytes = 32 << 10
  /// The time limit for the head of a request, from its first byte, or from the start of the connection for its first
  /// request.
  var headDeadline = Duration.seconds(10)
  /// The time limit for a complete request body.
  var bodyDeadline = Duration.seconds(30)
  /// The time that a connection may be idle between requests, that its client may take without reading a response, and in which
  /// each further ``minimumBodyProgress`` bytes of a large file must arrive.
  package var idleTimeout = Duration.seconds(60)
  /// The time limit for requests in progress when the server is asked to stop.
  package var shutdownDeadline = Duration.seconds(5)
  /// The value of `Retry-After` for rejected clients, in seconds.
  package var retryAfterSeconds = 5
  /// The minimum time between two write probes after a failure to store.
  package var writeProbeInterval = Duration.seconds(1)
  /// The maximum number of open streams of live events, in total.
  package var maximumLiveStreams = 64
  /// The maximum number of open streams of live events of one user, or of one token.
  package var maximumLiveStreamsPerVisitor = 8
  /// The maximum number of failed logins per client address and minute.
  package var maximumFailedLogins = 10
  /// The maximum size of a body that is parsed immediately, in bytes. Larger and compressed bodies wait for a decoding
  /// thread.
  package var maximumImmediateBytes = 64 << 10
  /// The number of threads that decompress and parse bodies.
  package var decodingThreads = System.coreCount + 1
  /// The maximum number of reports that run at the same time.
  package var maximumConcurrentReports = max(1, System.coreCount / 2)
  /// The maximum time that a report waits for its turn; then the response is 503.
  package var maximumReportWait = Duration.seconds(10)
  /// The maximum number of questions that wait for their turn, each for at most ``maximumReportWait``.
  package var maximumWaitingQuestions = 32
  /// The time limit for the answer to a question.
  package var questionDeadline = Duration.seconds(30)
}
