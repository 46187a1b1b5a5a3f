public import NIOCore

/// The bounds that keep one client, or all of them together, from harming the others.
public struct CollectorLimits: Sendable, Hashable {
  /// The largest number of bytes of requests that are being read, parsed or waiting for their commit, all together.
  /// Beyond it clients are asked to come back later.
  public var maximumPendingBytes: Int
  /// The share of those that one client address, and one app, may have. Beyond it the owner's own costliest incomplete
  /// bodies are cut; when there are none, its requests are asked to come back later. Behind a proxy that is not trusted
  /// all clients have one address.
  public var maximumPendingBytesPerOwner: Int
  /// The time for each next ``minimumBodyProgress`` bytes of a body. The first interval demands none.
  public var bodyProgressInterval: Duration
  /// The least that must arrive of an incomplete body in each ``bodyProgressInterval``, in bytes.
  public var minimumBodyProgress: Int
  /// The largest number of open connections. Beyond it those without a request are closed, the oldest first; when all
  /// have one, further connections wait in the system's queue.
  public var maximumConnections: Int
  /// The largest number of connections of one client address; beyond it the address's own are closed. Trusted proxies
  /// may have all.
  public var maximumConnectionsPerClient: Int
  /// The time for the head of a request, from its first byte, or from the beginning of the connection for the first
  /// request.
  public var headDeadline: Duration
  /// The time for a whole request body.
  public var bodyDeadline: Duration
  /// The time for which a connection may be idle between requests, and for which its client may not read a response.
  public var idleTimeout: Duration
  /// The time for requests in progress after the server was asked to stop.
  public var shutdownDeadline: Duration
  /// The value of `Retry-After` for clients that are turned away, in whole seconds.
  public var retryAfterSeconds: Int
  /// The shortest time between two write probes after storing has failed.
  public var writeProbeInterval: Duration
  /// The largest number of open streams of live events, all together.
  public var maximumLiveStreams: Int
  /// The largest number of failed logins of one client address within a minute.
  public var maximumFailedLogins: Int
  /// The largest body that is parsed at once, in bytes. Larger and compressed ones wait for their turn on the threads
  /// that decode.
  public var maximumImmediateBytes: Int
  /// The number of threads that decompress and parse bodies.
  public var decodingThreads: Int
  /// The largest number of reports that run at the same time.
  public var maximumConcurrentReports: Int
  /// The time that a report waits for its turn before it is answered with 503.
  public var maximumReportWait: Duration

  /// Creates limits; values below what can work are raised. Defaults: 64 MiB pending, half of them for one client
  /// address or app, 4,096 connections, three quarters of them for one client address, 10 s for a head, 30 s for a body
  /// of which 1 KiB arrives every 5 s, 60 s idle, 10 s to stop, retry after 5 s, 1 s between write probes, 64 live
  /// streams, 10 failed logins, 64 KiB parsed at once, a decoding thread for each processor and one more, reports on
  /// half of the processors, 10 s until the turn of a report.
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

/// The answer to App Center clients with an unknown secret.
public enum UnknownSecretPolicy: String, Sendable, CaseIterable {
  /// 503: the client keeps its events and tries again. Stock clients erase their queue on any 4xx, so a secret that the
  /// operator has not entered yet would cost every event collected meanwhile.
  case retryLater = "retry-later"
  /// 401: the client erases its queue and stays silent until its next launch.
  case reject
  /// 200: the client deletes what it sent, and nothing is stored.
  case discard
}
