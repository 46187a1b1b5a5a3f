import TernDelivery
import TernEvents
import TernLog

/// The result of sending in the background.
public struct BackgroundSendResult: Sendable, Hashable {
  /// The reason why sending ended.
  public enum Ending: Sendable, Hashable {
    /// The queue is empty.
    case finished
    /// A request failed; remaining events are sent later.
    case failed(DeliveryError)
    /// The deadline passed.
    case deadlinePassed
    /// The system ended the background time, or granted none.
    case expired
    /// The task was cancelled.
    case cancelled
  }

  /// The reason why sending ended.
  public var ending: Ending
  /// The number of events delivered.
  public var delivered: Int
  /// The number of events still queued or in flight.
  public var left: Int

  /// Creates a result; useful in tests.
  public init(ending: Ending, delivered: Int = 0, left: Int = 0) {
    self.ending = ending
    self.delivered = delivered
    self.left = left
  }
}

extension TernClient {
  /// Sends until the queue is empty, a request fails, the deadline passes, or the system ends the background time.
  ///
  /// Call it when the app has left the foreground, or in the app's own background task. The system's background
  /// activity always ends before this returns. Events recorded in the meantime are sent too. Requests still in flight
  /// continue as long as the process runs.
  ///
  /// ```swift
  /// tern.didEnterBackground()
  /// let result = await tern.sendInBackground(deadline: .seconds(20))
  /// ```
  ///
  /// - Parameter deadline: The maximum time from now; the default is 25 s, a little less than systems usually grant.
  /// - Returns: The reason why sending ended, and the numbers of delivered and remaining events.
  @discardableResult
  public func sendInBackground(deadline: Duration = .seconds(25)) async -> BackgroundSendResult {
    await engine.beginBackgroundSend(deadline: deadline)()
  }
}

extension Engine {
  /// Requests background time from the system; the returned closure sends and then ends the background activity.
  package func beginBackgroundSend(deadline: Duration) -> @Sendable () async -> BackgroundSendResult {
    let before = log.counts.deliveredHere
    let until = environment.clock.uptime + min(max(deadline, .zero), .longest)
    let (expiry, expired) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let giveBack = environment.backgroundActivity?.begin("Sending analytics") { expired.yield() }
    return { [self] in
      let ending = await sendEverything(until: until, orUntil: expiry)
      giveBack?()
      expired.finish()
      let counts = log.counts
      return BackgroundSendResult(
        ending: ending, delivered: counts.deliveredHere - before, left: counts.waiting + counts.claimed)
    }
  }

  /// Sends until the queue is empty or a request fails, including events recorded in the meantime.
  func sendEverything() async -> BackgroundSendResult.Ending {
    while !Task.isCancelled {
      switch await flush() {
      case .nothingToSend: return .finished
      // More may have been recorded: flush again.
      case .sent: continue
      case .offline: return .failed(DeliveryError(.offline, "There is no network."))
      case .failed(let error): return Task.isCancelled ? .cancelled : .failed(error)
      case .outOfTime: return .deadlinePassed
      }
    }
    return .cancelled
  }

  fileprivate func sendEverything(
    until deadline: Duration, orUntil expiry: AsyncStream<Void>
  ) async -> BackgroundSendResult.Ending {
    let clock = environment.clock
    return await withTaskGroup(of: BackgroundSendResult.Ending.self) { group in
      group.addTask { await self.sendEverything() }
      group.addTask {
        await clock.sleep(until: deadline)
        return Task.isCancelled ? .cancelled : .deadlinePassed
      }
      group.addTask {
        for await _ in expiry { return .expired }
        return .cancelled
      }
      defer { group.cancelAll() }
      return await group.next() ?? .cancelled
    }
  }
}
