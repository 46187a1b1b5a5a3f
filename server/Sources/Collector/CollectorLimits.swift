public import NIOCore

/// The limits that keep clients from harming each other or the server.
public struct CollectorLimits: Sendable, Hashable {
  /// The maximum number of bytes of requests being read, parsed or awaiting their commit, in total. Beyond it, clients
  /// are told to retry later.
  public var maximumPendingBytes: Int
  /// The share of those bytes for one client address or one app. Beyond it, the owner's costliest incomplete bodies are
  /// aborted; if there are none, its requests are told to retry later. Behind an untrusted proxy, all clients have one
  /// address.
  public var maximumPendingBytesPerOwner: Int
  /// The time in which each further ``minimumBodyProgress`` bytes of a body must arrive. The first interval has no
  /// minimum.
  public var bodyProgressInterval: Duration
  /// The minimum number of bytes of an incomplete body that must arrive in each ``bodyProgressInterval``.
  public var minimumBodyProgress: Int
  /// The maximum number of open connections. Beyond it, connections without a request are closed, oldest first; if all
  /// have one, new connections wait in the system's queue.
  public var maximumConnections: Int
  /// The maximum number of connections per client address; beyond it, connections of that address are closed. Trusted
  /// proxies have no such limit.
  public var maximumConnectionsPerClient: Int
  /// The time limit for the head of a request, from its first byte, or from the start of the connection for its first
  /// request.
  public var headDeadline: Duration
  /// The time limit for a complete request body.
  public var bodyDeadline: Duration
  /// The time that a connection may be idle between requests, or that its client may take without reading a response.
  public var idleTimeout: Duration
  /// The time limit for requests in progress when the server is asked to stop.
  public var shutdownDeadline: Duration
  /// The value of `Retry-After` for rejected clients, in seconds.
  public var retryAfterSeconds: Int
  /// The minimum time between two write probes after a failure to store.
  public var writeProbeInterval: Duration
  /// The maximum number of open streams of live events, in total.
  public var maximumLiveStreams: Int
  /// The maximum number of failed logins per client address and minute.
  public var maximumFailedLogins: Int
  /// The maximum size of a body that is parsed immediately, in bytes. Larger and compressed bodies wait for a decoding
  /// thread.
  public var maximumImmediateBytes: Int
  /// The number of threads that decompress and parse bodies.
  public var decodingThreads: Int
  /// The maximum number of reports that run at the same time.
  public var maximumConcurrentReports: Int
  /// The maximum time that a report waits for its turn; then the response is 503.
  public var maximumReportWait: Duration

  /// Creates limits; values too small to work are raised. Defaults: 64 MiB pending, half of that per client address or
  /// app, 4,096 connections, three quarters of them per client address, 10 s for a head, 30 s for a body of which 1 KiB
  /// arrives every 5 s, 60 s idle, 10 s to stop, retry after 5 s, 1 s between write probes, 64 live streams, 10 failed
  /// logins, 64 KiB parsed immediately, one decoding thread per processor plus one, reports on half of the processors,
  /// 10 s wait for a report.
  public init(
    maximumPendingBytes: Int = 64 << 20, maximumPendingBytesPerOwner: Int? = nil,
    bodyProgressInterval: Duration = .seconds(5), minimumBodyProgress: Int = 1 << 10, maximumConnections: Int = 4_096,
    maximumConnectionsPerClient: Int? = nil, headDeadline: Duration = .seconds(10),
    bodyDeadline: Duration = .seconds(30),
    idleTimeout: Duration = .seconds(60), shutdownDeadline: Duration = .seconds(10), retryAfterSeconds: Int = 5,
    writeProbeInterval: Duration = .seconds(1), maximumLiveStreams: Int = 64, maximumFailedLogins: Int = 10,
    maximumImmediateBytes: Int = 64 << 10, decodingThreads: Int = System.coreCount + 1,
    maximumConcurrentReports: Int = System.coreCount / 2, maximumReportWait: Duration = .seconds(10)
  ) {
    self.maximumPendingBytes = max(maximumPendingBytes, 0)
    self.maximumPendingBytesPerOwner = max(maximumPendingBytesPerOwner ?? self.maximumPendingBytes / 2, 0)
    self.bodyProgressInterval = max(bodyProgressInterval, .milliseconds(1))
    self.minimumBodyProgress = max(minimumBodyProgress, 0)
    self.maximumConnections = max(maximumConnections, 1)
    self.maximumConnectionsPerClient = max(maximumConnectionsPerClient ?? self.maximumConnections / 4 * 3, 1)
    self.headDeadline = max(headDeadline, .milliseconds(1))
    self.bodyDeadline = max(bodyDeadline, .milliseconds(1))
    self.idleTimeout = max(idleTimeout, .milliseconds(1))
    self.shutdownDeadline = max(shutdownDeadline, .milliseconds(1))
    self.retryAfterSeconds = max(retryAfterSeconds, 1)
    self.writeProbeInterval = max(writeProbeInterval, .zero)
    self.maximumLiveStreams = max(maximumLiveStreams, 0)
    self.maximumFailedLogins = max(maximumFailedLogins, 1)
    self.maximumImmediateBytes = max(maximumImmediateBytes, 0)
    self.decodingThreads = max(decodingThreads, 2)
    self.maximumConcurrentReports = max(maximumConcurrentReports, 1)
    self.maximumReportWait = max(maximumReportWait, .zero)
  }
}

/// The response to App Center clients with an unknown secret.
public enum UnknownSecretPolicy: String, Sendable, CaseIterable {
  /// 503: the client keeps its events and retries. Stock clients delete their queue on any 4xx, so a secret that the
  /// operator has yet to enter would cost every event collected until then.
  case retryLater = "retry-later"
  /// 401: the client deletes its queue and stops sending until its next launch.
  case reject
  /// 200: the client deletes the events it has sent, and nothing is stored.
  case discard
}
