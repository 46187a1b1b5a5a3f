/// The bounds that keep one client, or all of them together, from harming the others.
public struct CollectorLimits: Sendable, Hashable {
  /// Most bytes of requests being read, parsed or waiting for their commit, all together; beyond it clients are asked
  /// to come back later.
  public var maximumPendingBytes: Int
  /// Most bytes that incomplete bodies of one client address may hold of those; beyond it the address's own costliest
  /// bodies are cut. Behind a proxy that is not trusted all clients have one address.
  public var maximumUnfinishedBytesPerClient: Int
  /// How long a client may take for each next ``minimumBodyProgress`` bytes of a body, after a first interval without
  /// demands.
  public var bodyProgressInterval: Duration
  /// The least that must arrive of an incomplete body in each ``bodyProgressInterval``, in bytes.
  public var minimumBodyProgress: Int
  /// Most connections open at the same time. Beyond it those without a request are closed, the oldest first; when all
  /// have one, further connections wait in the system's queue.
  public var maximumConnections: Int
  /// Most connections of one client address; beyond it the address's own are closed. Trusted proxies may have all.
  public var maximumConnectionsPerClient: Int
  /// How long a client may take to send the whole head of a request, from its first byte, or from the connection's
  /// beginning for the first request.
  public var headDeadline: Duration
  /// How long a client may take to send one whole request body.
  public var bodyDeadline: Duration
  /// How long a connection may rest between requests, and how long its client may fail to read an answer.
  public var idleTimeout: Duration
  /// How long requests under way may take to finish once the server is asked to stop.
  public var shutdownDeadline: Duration
  /// What `Retry-After` tells clients that were turned away, in whole seconds.
  public var retryAfterSeconds: Int
  /// After storing has failed: how long to wait before trying it again for clients that only ask whether it works.
  public var writeProbeInterval: Duration
  /// Most open streams of live events, all together.
  public var maximumLiveStreams: Int
  /// Most failed logins of one client address within a minute.
  public var maximumFailedLogins: Int
  /// Bodies above this size are decoded on a thread of their own, in bytes.
  public var offloadBytes: Int

  /// Creates limits; values below what can work are raised. Defaults: 64 MiB pending, 4,096 connections, 10 s for a
  /// head, 30 s for a body of which 1 KiB arrives every 5 s, 60 s idle, 10 s to stop, retry after 5 s, 1 s between
  /// writeProbes, 64 live streams, 10 failed logins, 256 KiB decoded in place; for one client address three quarters of the
  /// connections, and of the pending bytes for its incomplete bodies.
  public init(
    maximumPendingBytes: Int = 64 << 20, maximumUnfinishedBytesPerClient: Int? = nil,
    bodyProgressInterval: Duration = .seconds(5), minimumBodyProgress: Int = 1 << 10, maximumConnections: Int = 4_096,
    maximumConnectionsPerClient: Int? = nil, headDeadline: Duration = .seconds(10),
    bodyDeadline: Duration = .seconds(30),
    idleTimeout: Duration = .seconds(60), shutdownDeadline: Duration = .seconds(10), retryAfterSeconds: Int = 5,
    writeProbeInterval: Duration = .seconds(1), maximumLiveStreams: Int = 64, maximumFailedLogins: Int = 10,
    offloadBytes: Int = 256 << 10
  ) {
    self.maximumPendingBytes = max(maximumPendingBytes, 0)
    self.maximumUnfinishedBytesPerClient = max(
      maximumUnfinishedBytesPerClient ?? self.maximumPendingBytes / 4 * 3, 0)
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
    self.offloadBytes = max(offloadBytes, 0)
  }
}

/// What App Center clients with an unknown secret are told.
public enum UnknownSecretPolicy: String, Sendable, CaseIterable {
  /// 503: the client keeps its events and tries again. Stock clients erase their queue on any 4xx, so a secret that the
  /// operator has not entered yet would cost every event collected meanwhile.
  case retryLater = "retry-later"
  /// 401: the client erases its queue and stays silent until its next launch.
  case reject
  /// 200: the client deletes what it sent, and nothing is stored.
  case discard
}
