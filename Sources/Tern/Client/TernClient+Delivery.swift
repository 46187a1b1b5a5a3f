import TernBase
package import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// Sends all waiting events now, and returns when they have arrived or an attempt has failed.
  ///
  /// It does not wait for events recorded meanwhile. Tern's own pause after a failure does not delay a flush; a wait
  /// that the collector asked for does. Returns early when the task is cancelled.
  @discardableResult
  public func flush() async -> FlushOutcome {
    await engine.flush()
  }

  /// Sends all waiting events now, and returns when they have arrived, an attempt has failed, or the time is over.
  ///
  /// Nothing is given up at the deadline: the remaining events stay queued, and requests in flight continue.
  ///
  /// - Parameter deadline: The longest wait, from now.
  @discardableResult
  public func flush(deadline: Duration) async -> FlushOutcome {
    await engine.flush(until: engine.environment.clock.uptime + min(max(deadline, .zero), .longest))
  }

  /// Stops starting requests until ``resume()``; events are recorded as before. Not kept over launches.
  public func pause() {
    engine.setPaused(true, for: .app)
  }

  /// Resumes sending after ``pause()``.
  public func resume() {
    engine.setPaused(false, for: .app)
  }

  /// A Boolean value that enables recording and sending; kept over launches. The default is true.
  ///
  /// Setting it to false ends the session and erases all waiting events; both are done and saved when the assignment
  /// returns, which takes longer than recording an event. Setting it to true starts anew.
  /// Other processes on the same directory follow before they send anything more.
  public var isEnabled: Bool {
    get { engine.recorder.withLock { $0.isEnabled } }
    set { engine.setEnabled(newValue) }
  }

  /// The current status.
  public var status: Status { engine.status }

  /// A stream of the current status and each change of it.
  ///
  /// Each access returns a new stream. A slow reader misses outdated values, never the latest. Streams end with the
  /// client.
  public var statusUpdates: AsyncStream<Status> { engine.watch() }

  /// Notifies the client that the app left the foreground: waiting events are sent and flushed to the disk.
  ///
  /// Called automatically on platforms with UIKit.
  public func didEnterBackground() {
    let now = engine.environment.clock.uptime
    engine.recorder.withLock { $0.sessions.enteredBackground(at: now) }
    engine.mailbox.post(.input(.enteredBackground))
  }

  /// Notifies the client that the app enters the foreground: a new session may begin.
  ///
  /// Called automatically on platforms with UIKit.
  public func willEnterForeground() {
    let now = engine.environment.clock.uptime
    engine.beginSession { $0.entersForeground(at: now) }
    engine.mailbox.post(.input(.enteredForeground))
  }

  /// Notifies the client that the process is about to end: recorded events are flushed to the disk.
  ///
  /// Events survive the end of the process without this call; it protects them against a loss of power. Called
  /// automatically on platforms with UIKit.
  public func willTerminate() {
    if engine.isBuffering {
      engine.openStorage()
      engine.mailbox.post(.refresh)
    }
    if engine.configuration.durability != .never { engine.log.synchronize() }
  }

  /// Notifies the client that the device's protected files are readable, as after the first unlock since the boot.
  ///
  /// Called automatically on platforms with UIKit.
  public func protectedDataBecameAvailable() {
    engine.mailbox.post(.filesAvailable)
  }
}

extension Engine {
  package func setPaused(_ isPaused: Bool, for reason: PauseReason) {
    files.withLock { setPaused(isPaused, for: reason, &$0) }
  }

  /// Allows or forbids requests; saved on return, because it is the user's decision.
  func setAllowsRequests(_ isAllowed: Bool) {
    files.withLock { files in
      files.unsaved.allowsRequests = isAllowed
      files.save()
      setPaused(!isAllowed, for: .notAllowed, &files)
      // The loop confirms a change that was written without the lock.
      if files.isUnconfirmed { mailbox.post(.refresh) }
    }
  }

  /// One lock covers change and message, so that the last message reflects the last change.
  private func setPaused(_ isPaused: Bool, for reason: PauseReason, _: inout StateFiles) {
    let changed = clientState.withLock { state -> Bool? in
      let wasPaused = state.isPaused
      if isPaused { state.pauses.insert(reason) } else { state.pauses.remove(reason) }
      return wasPaused == state.isPaused ? nil : state.isPaused
    }
    if let changed { mailbox.post(.input(changed ? .paused : .resumed)) }
  }

  func flush() async -> FlushOutcome {
    let id = makeFlushID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        requestFlush(id, .flushRequested(id)) { continuation.resume(returning: $0) }
        if Task.isCancelled { abandonFlush(id) }
      }
    } onCancel: {
      abandonFlush(id)
    }
  }

  /// Draws the identifier of a flush.
  package func makeFlushID() -> FlushID {
    clientState.withLock { state in
      state.nextFlush += 1
      return FlushID(number: state.nextFlush)
    }
  }

  /// Posts a request to flush; `completion` is called exactly once, from any thread.
  package func requestFlush(
    _ id: FlushID, _ input: MachineInput, _ completion: @escaping @Sendable (FlushOutcome) -> Void
  ) {
    let isOpen = clientState.withLock { state in
      if !state.isClosed { state.flushes[id] = completion }
      return !state.isClosed
    }
    guard isOpen else { return completion(ClientState.closed) }
    mailbox.post(.input(input))
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

  private func abandonFlush(_ id: FlushID) {
    mailbox.post(.input(.flushAbandoned(id)))
    finishFlush(
      id, .failed(DeliveryError(DeliveryFailure(.stopped, "The task that asked for the flush was cancelled."))))
  }

  /// Completes a flush, unless it is complete already.
  func finishFlush(_ id: FlushID, _ outcome: FlushOutcome) {
    let completion = clientState.withLock { $0.flushes.removeValue(forKey: id) }
    completion?(outcome)
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
    // The status may have changed before the watcher was added.
    mailbox.post(.refresh)
    return stream
  }

  /// Ends recording and the delivery loop, which closes the log.
  package func close() {
    recorder.withLock { $0.isClosed = true }
    mailbox.close()
  }
}

extension TernClient {
  /// Registers a listener for delivery attempts: it receives the outcome of the first one and each change, on the
  /// client's own task; `nil` means that the collector took the events.
  package func onAttempts(_ listener: @escaping @Sendable (DeliveryError?) -> Void) {
    engine.clientState.withLock { $0.attemptListener = listener }
  }
}
