import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// Sends everything that waits now, and returns when it has arrived or an attempt has failed.
  ///
  /// Events recorded meanwhile are not waited for. Our own pause after a failure does not hold a flush back, a wait
  /// that the collector asked for does. Returns early when the task is cancelled.
  @discardableResult
  public func flush() async -> FlushOutcome {
    await engine.flush()
  }

  /// Sends everything that waits now, and returns when it has arrived, an attempt has failed, or the time is over.
  ///
  /// Nothing is given up at the deadline: what is left stays queued, and requests under way are let through.
  ///
  /// - Parameter deadline: How long to wait at most, from now.
  @discardableResult
  public func flush(deadline: Duration) async -> FlushOutcome {
    await engine.flush(until: engine.environment.clock.uptime + min(max(deadline, .zero), .longest))
  }

  /// Stops starting requests until ``resume()``; events are recorded as before. Not kept over launches.
  public func pause() {
    engine.setPaused(true, for: .app)
  }

  /// Sends again after ``pause()``.
  public func resume() {
    engine.setPaused(false, for: .app)
  }

  /// Whether the client records and sends; kept over launches. The default is true.
  ///
  /// Setting it to false ends the session and erases everything that waits; both are done, and written down, when the
  /// assignment returns, which makes it the one call that takes longer than recording an event. Setting it to true
  /// starts anew.
  /// Other processes on the same directory follow before they send anything more.
  public var isEnabled: Bool {
    get { engine.recorder.withLock { $0.isEnabled } }
    set { engine.setEnabled(newValue) }
  }

  /// What the client is doing now.
  public var status: Status { engine.status }

  /// What the client is doing, from now on: the current status first, then each change.
  ///
  /// Each access is a stream of its own. A reader who is slow misses what is outdated, never the latest. Streams end
  /// with the client.
  public var statusUpdates: AsyncStream<Status> { engine.watch() }

  /// Tells the client that the app left the foreground: what waits is sent, and forced onto the medium.
  ///
  /// Called by itself on platforms with UIKit.
  public func didEnterBackground() {
    let now = engine.environment.clock.uptime
    engine.recorder.withLock { $0.sessions.enteredBackground(at: now) }
    engine.mailbox.post(.input(.enteredBackground))
  }

  /// Tells the client that the app comes to the foreground: a new session may begin.
  ///
  /// Called by itself on platforms with UIKit.
  public func willEnterForeground() {
    let now = engine.environment.clock.uptime
    engine.beginSession { $0.entersForeground(at: now) }
    engine.mailbox.post(.input(.enteredForeground))
  }

  /// Tells the client that the process is about to end: what is recorded is forced onto the medium.
  ///
  /// Nothing needs it to survive the process, only a loss of power. Called by itself on platforms with UIKit.
  public func willTerminate() {
    if engine.isBuffering {
      engine.openStorage()
      engine.mailbox.post(.refresh)
    }
    if engine.configuration.durability != .never { engine.log.synchronize() }
  }

  /// Tells the client that the device's protected files can be read now, as after the first unlock since it was started.
  ///
  /// Called by itself on platforms with UIKit.
  public func protectedDataBecameAvailable() {
    engine.mailbox.post(.filesAvailable)
  }
}

extension Engine {
  func setPaused(_ isPaused: Bool, for reason: PauseReason) {
    files.withLock { setPaused(isPaused, for: reason, &$0) }
  }

  /// Allows or forbids requests; written down on return, since it is the user's will.
  func setAllowsRequests(_ isAllowed: Bool) {
    files.withLock { files in
      files.unsaved.allowsRequests = isAllowed
      files.save()
      setPaused(!isAllowed, for: .notAllowed, &files)
    }
  }

  /// One lock over change and message: of two threads, the one that is last says so last.
  private func setPaused(_ isPaused: Bool, for reason: PauseReason, _: inout StateFiles) {
    let changed = clientState.withLock { state -> Bool? in
      let wasPaused = state.isPaused
      if isPaused { state.pauses.insert(reason) } else { state.pauses.remove(reason) }
      return wasPaused == state.isPaused ? nil : state.isPaused
    }
    if let changed { mailbox.post(.input(changed ? .paused : .resumed)) }
  }

  func flush() async -> FlushOutcome {
    let id = clientState.withLock { state in
      state.nextFlush += 1
      return DeliveryMachine.FlushID(number: state.nextFlush)
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = clientState.withLock { state in
          if !state.isClosed { state.flushes[id] = continuation }
          return !state.isClosed
        }
        guard isOpen else { return continuation.resume(returning: ClientState.closed) }
        mailbox.post(.input(.flushRequested(id)))
        if Task.isCancelled { abandonFlush(id) }
      }
    } onCancel: {
      abandonFlush(id)
    }
  }

  func flush(until deadline: Duration) async -> FlushOutcome {
    let clock = environment.clock
    return await withTaskGroup(of: FlushOutcome?.self) { group in
      group.addTask { await self.flush() }
      group.addTask {
        await clock.sleep(until: deadline)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      if let first { return first }
      let counts = log.counts
      return .outOfTime(left: counts.waiting + counts.claimed)
    }
  }

  private func abandonFlush(_ id: DeliveryMachine.FlushID) {
    mailbox.post(.input(.flushAbandoned(id)))
    finishFlush(
      id, .failed(DeliveryError(DeliveryFailure(.stopped, "The task that asked for the flush was cancelled."))))
  }

  /// Answers a flush, unless it has been answered.
  func finishFlush(_ id: DeliveryMachine.FlushID, _ outcome: FlushOutcome) {
    let waiter = clientState.withLock { $0.flushes.removeValue(forKey: id) }
    waiter?.resume(returning: outcome)
  }

  func watch() -> AsyncStream<TernClient.Status> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: TernClient.Status.self, bufferingPolicy: .bufferingNewest(1))
    recorder.withLock { $0.isObserved = true }
    let (number, isOpen) = clientState.watch(continuation, current: status)
    guard isOpen else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      guard let self, clientState.unwatch(number) else { return }
      recorder.withLock { $0.isObserved = false }
    }
    // Between reading the status and joining the watchers it may have changed.
    mailbox.post(.refresh)
    return stream
  }

  /// Ends recording and the run loop, which closes the log.
  func close() {
    recorder.withLock { $0.isClosed = true }
    mailbox.close()
  }
}

extension TernClient {
  /// Has somebody told, on the client's own task, when the first attempt ends and whenever another ends otherwise than
  /// the one before: with `nil` when the collector took the events, else with why it did not.
  package func onAttempts(_ listener: @escaping @Sendable (DeliveryError?) -> Void) {
    engine.clientState.withLock { $0.attemptListener = listener }
  }
}
