import TernDelivery
import TernEvents
import TernLog

/// The result of sending in the background.
public struct BackgroundSendResult: Sendable, Hashable {
  /// The reason why the sending ended.
  public enum Ending: Sendable, Hashable {
    /// The queue is empty.
    case finished
    /// A request failed; the remaining events are sent later.
    case failed(DeliveryError)
    /// The deadline came first.
    case deadlinePassed
    /// The system took its time back, or granted none.
    case expired
    /// The task was cancelled.
    case cancelled
  }

  /// The reason why the sending ended.
  public var ending: Ending
  /// The events that arrived meanwhile.
  public var delivered: Int
  /// The events still queued or in flight; they stay until they are delivered.
  public var left: Int

  /// Creates a result; useful in tests.
  public init(ending: Ending, delivered: Int = 0, left: Int = 0) {
    self.ending = ending
    self.delivered = delivered
    self.left = left
  }
}

extension TernClient {
  /// Sends until the queue is empty, a request fails or the deadline passes, while the system lets the process run.
  ///
  /// Call it when the app has left the foreground, or in the app's own background task. The time granted by the system
  /// is always given back before this returns. Events recorded meanwhile are sent, too. Nothing is given up at the end:
  /// requests in flight continue for as long as the process runs.
  ///
  /// ```swift
  /// tern.didEnterBackground()
  /// let result = await tern.sendInBackground(deadline: .seconds(20))
  /// ```
  ///
  /// - Parameter deadline: The longest time to send, from now; the default is 25 s, a little less than the system
  ///   usually grants.
  /// - Returns: The reason for the end, and the number of remaining events.
  @discardableResult
  public func sendInBackground(deadline: Duration = .seconds(25)) async -> BackgroundSendResult {
    await engine.beginBackgroundSend(deadline: deadline)()
  }
}

extension Engine {
  /// Asks the system for background time and returns the work to do in it, which gives the time back at its end.
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

  /// Sends until the queue is empty or a request fails, including events recorded meanwhile.
  func sendEverything() async -> BackgroundSendResult.Ending {
    while !Task.isCancelled {
      switch await flush() {
      case .nothingToSend: return .finished
      // The next one tells if there is more.
      case .sent: continue
      case .offline: return .failed(DeliveryError(DeliveryFailure(.offline, "There is no network.")))
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
