import TernEvents

/// Asking whether a failing server is back, without events: in a long outage the queue would otherwise be sent again
/// and again in vain.
extension DeliveryMachine {
  /// Whether the next attempt is a question and not a batch.
  var mustAsk: Bool { isAsking && !isProbing }

  private var isAsking: Bool { asksFirst && !isAnswered && (policy.asksAfterFailures != nil || policy.asksAfterLaunch) }

  /// Whether the next attempt is a single event, because the questions were answered by something in between.
  var isProbing: Bool {
    isAsking && failedAttempts.suggestProbe(after: policy.questionsBeforeProbe, waiting: waiting.total)
  }

  mutating func healthProbeAnswered(_ id: BatchID, _ batch: Batch, _ outcome: ResponseOutcome, now: Duration) {
    switch outcome {
    case .failed(let failure):
      // Silence says that nobody is there, and a wait is what a collector asks for: only other answers raise doubts.
      if failure.status != nil, failure.retryAfter == nil { failedAttempts.questions += 1 }
      failed(batch, failure, now: now)
    // A server that refuses the question has at least answered: one that does not know it takes events all the same.
    case .acknowledged, .refused, .tooLarge:
      isAnswered = true
      hasAnswered = true
      failedAttempts = FailedAttempts()
      isDelivering = true
      // Where batches have retries of their own, that is all there was to know.
      if policy.asksAfterFailures == nil { noLongerAsks() }
    }
    if case .failed(let failure) = outcome, !goesAgainAtOnce(batch, now: now) {
      for index in flushes.indices where flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
    }
  }
}

/// What was sent in vain since a server last answered.
package struct FailedAttempts: Sendable, Equatable {
  /// Questions that something else than a collector answered, a gateway say, since an event was last tried.
  package var questions: Int
  /// How many events were tried without asking, and did not arrive either.
  package var probes: Int
  /// How many events were sent in vain, each as often as it was sent.
  package var events: Int

  /// From here on nothing changes any more; a file may say anything.
  private static let most = 1 << 20

  package init(questions: Int = 0, probes: Int = 0, events: Int = 0) {
    self.questions = min(max(questions, 0), Self.most)
    self.probes = min(max(probes, 0), Self.most)
    self.events = min(max(events, 0), Self.most)
  }

  /// Whether an event is to be tried, because the questions may be what is not let through.
  ///
  /// Each one in vain doubles the number of questions before the next, up to four times the first; up to sixteen times
  /// once twice as many events were sent in vain as wait.
  func suggestProbe(after first: Int, waiting: Int) -> Bool {
    questions >= first << (events < 2 * waiting ? min(probes, 2) : 4)
  }
}

/// What a machine wants to know again after a relaunch.
package struct DeliveryMemory: Sendable, Equatable {
  /// The uptime until which the server asked to wait.
  package var retryAfterDeadline: Duration?
  /// The most bytes of events that the server takes in one batch, where it found one too large.
  package var bytesLimit: Int?
  /// The uptime at which it did so; negative when that was before the boot.
  package var limitedSince: Duration?
  /// Attempts failed or are under way, and none has succeeded since the launch or since they failed: the server is asked
  /// before events are sent.
  package var asksFirst: Bool
  /// What was sent since then.
  package var failedAttempts: FailedAttempts

  /// After this long a lowered limit is tried anew.
  package static let limitLifetime = Duration.seconds(7 * 86_400)

  /// Creates a memory; without arguments that of a machine to which nothing has happened.
  package init(
    retryAfterDeadline: Duration? = nil, bytesLimit: Int? = nil, limitedSince: Duration? = nil, asksFirst: Bool = false,
    failedAttempts: FailedAttempts = FailedAttempts()
  ) {
    self.retryAfterDeadline = retryAfterDeadline
    self.bytesLimit = bytesLimit
    self.limitedSince = limitedSince
    self.asksFirst = asksFirst
    self.failedAttempts = failedAttempts
  }
}

extension DeliveryMachine {
  /// What is worth remembering now.
  func memory(now: Duration) -> DeliveryMemory {
    DeliveryMemory(
      retryAfterDeadline: retryAfterDeadline.flatMap { $0 > now ? $0 : nil },
      bytesLimit: bytesLimit < policy.batchBytes ? bytesLimit : nil,
      limitedSince: bytesLimit < policy.batchBytes ? limitedSince : nil,
      // The next process knows nothing of one failure: it would send all of it again.
      asksFirst: asksFirst || (policy.asksAfterFailures != nil && (sentInVain || isUntried)) || isUnanswered,
      failedAttempts: failedAttempts
    )
  }

  /// The same where batches that failed keep their events and sleep, or all rest.
  private var isUnanswered: Bool {
    guard policy.asksAfterLaunch, !hasAnswered else { return false }
    return retriesExhausted || inFlight.values.contains { !$0.isHealthProbe && !$0.isVoid }
  }

  /// Events are under way to a server that has answered nothing since the launch: a process that ends now would leave
  /// no trace of them, and each short one would send them again. Once it has answered, this costs no more writing.
  private var isUntried: Bool {
    !hasAnswered && inFlight.values.contains { !$0.isHealthProbe && !$0.isVoid && $0.retryAt == nil }
  }
}
