import TernDelivery
import TernEvents
import TernLog

/// What came of sending in the background.
public struct BackgroundSendResult: Sendable, Hashable {
  /// Why the sending ended.
  public enum Ending: Sendable, Hashable {
    /// The queue is empty.
    case finished
    /// A request failed; what is left goes on its way later.
    case failed(DeliveryError)
    /// The deadline came first.
    case deadlinePassed
    /// The system wanted its time back, or had none to give.
    case expired
    /// The task was cancelled.
    case cancelled
  }

  /// Why the sending ended.
  public var ending: Ending
  /// How many events arrived meanwhile.
  public var delivered: Int
  /// How many events are still queued or in flight; they stay until they are delivered.
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
  /// Call it when the app has left the foreground, or in a background task of the app's own. The time that it asks the
  /// system for is given back in every case, before this returns. Events recorded meanwhile are sent too. Nothing is
  /// given up at the end: requests under way go on for as long as the process does.
  ///
  /// ```swift
  /// tern.didEnterBackground()
  /// let result = await tern.sendInBackground(deadline: .seconds(20))
  /// ```
  ///
  /// - Parameter deadline: How long to send at most, from now; the default is 25 s, a little less than the system
  ///   usually gives.
  /// - Returns: Why the sending ended, and how much is left.
  @discardableResult
  public func sendInBackground(deadline: Duration = .seconds(25)) async -> BackgroundSendResult {
    let before = engine.log.counts.deliveredHere
    let (expiry, expired) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let giveBack = engine.environment.backgroundActivity?.begin("Sending analytics") { expired.yield() }
    let ending = await engine.sendEverything(
      until: engine.environment.clock.uptime + min(max(deadline, .zero), .longest), orUntil: expiry)
    giveBack?()
    expired.finish()
    let counts = engine.log.counts
    return BackgroundSendResult(
      ending: ending, delivered: counts.deliveredHere - before, left: counts.waiting + counts.claimed)
  }
}

extension Engine {
  /// Sends until the queue is empty or a request fails; what is recorded meanwhile is sent too.
  func sendEverything() async -> BackgroundSendResult.Ending {
    while !Task.isCancelled {
      switch await flush() {
      case .nothingToSend: return .finished
      // The next one says whether there is more.
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
