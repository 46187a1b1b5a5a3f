/// The bounds that keep one client, or all of them together, from harming the others.
public struct CollectorLimits: Sendable, Hashable {
  /// Most bytes of requests being read, parsed or waiting for their commit, all together; beyond it clients are asked
  /// to come back later.
  public var maximumPendingBytes: Int
  /// Most connections open at the same time; further ones wait in the system's queue.
  public var maximumConnections: Int
  /// How long a client may take to send one whole request body.
  public var bodyDeadline: Duration
  /// How long a connection may rest between requests, and how long its bytes may fail to come.
  public var idleTimeout: Duration
  /// How long requests under way may take to finish once the server is asked to stop.
  public var shutdownDeadline: Duration
  /// What `Retry-After` tells clients that were turned away, in whole seconds.
  public var retryAfterSeconds: Int
  /// After storing has failed: how long to wait before trying it again for clients that only ask whether it works.
  public var trialPause: Duration
  /// Most open streams of live events, all together.
  public var maximumLiveStreams: Int
  /// Most failed logins of one address within a minute.
  public var maximumFailedLogins: Int
  /// Bodies above this size are decoded on a thread of their own, in bytes.
  public var offloadBytes: Int

  /// Creates limits; values below what can work are raised. Defaults: 64 MiB pending, 4,096 connections, 30 s for a
  /// body, 60 s idle, 10 s to stop, retry after 5 s, 1 s between trials, 64 live streams, 10 failed logins, 256 KiB
  /// decoded in place.
  public init(
    maximumPendingBytes: Int = 64 << 20, maximumConnections: Int = 4_096, bodyDeadline: Duration = .seconds(30),
    idleTimeout: Duration = .seconds(60), shutdownDeadline: Duration = .seconds(10), retryAfterSeconds: Int = 5,
    trialPause: Duration = .seconds(1), maximumLiveStreams: Int = 64, maximumFailedLogins: Int = 10,
    offloadBytes: Int = 256 << 10
  ) {
    self.maximumPendingBytes = max(maximumPendingBytes, 0)
    self.maximumConnections = max(maximumConnections, 1)
    self.bodyDeadline = max(bodyDeadline, .milliseconds(1))
    self.idleTimeout = max(idleTimeout, .milliseconds(1))
    self.shutdownDeadline = max(shutdownDeadline, .milliseconds(1))
    self.retryAfterSeconds = max(retryAfterSeconds, 1)
    self.trialPause = max(trialPause, .zero)
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
