import TernBase
package import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// Sends all waiting events now and returns when they are delivered or an attempt has failed.
  ///
  /// Events recorded after the call are not awaited. A flush ends Tern's own backoff but honors the collector's
  /// `Retry-After`. It returns early if the task is cancelled.
  @discardableResult
  public func flush() async -> FlushOutcome {
    await engine.flush()
  }

  /// Sends all waiting events now and returns when they are delivered, an attempt has failed, or the deadline passes.
  ///
  /// At the deadline, remaining events stay queued and requests in flight continue.
  ///
  /// - Parameter deadline: The maximum wait from now.
  @discardableResult
  public func flush(deadline: Duration) async -> FlushOutcome {
    await engine.flush(until: engine.environment.clock.uptime + min(max(deadline, .zero), .longest))
  }

  /// Starts no more requests until ``resume()``; recording continues. Not saved across launches.
  public func pause() {
    engine.setPaused(true, for: .app)
  }

  /// Resumes sending after ``pause()``.
  public func resume() {
    engine.setPaused(false, for: .app)
  }

  /// A Boolean value that enables recording and sending; saved across launches. The default is true.
  ///
  /// Setting it to false ends the session and erases all waiting events before the assignment returns, which takes
  /// longer than recording an event. Other processes that use the same directory apply the change before they send
  /// anything more.
  public var isEnabled: Bool {
    get { engine.recorder.withLock { $0.isEnabled } }
    set { engine.setEnabled(newValue) }
  }

  /// The current status.
  public var status: Status { engine.status }

  /// A stream of the current status and its changes.
  ///
  /// Each access returns a new stream. A slow reader may miss intermediate values but always gets the latest. Streams
  /// end when the client does.
  public var statusUpdates: AsyncStream<Status> { engine.watch() }

  /// Notifies the client that the app entered the background; waiting events are sent and flushed to the disk.
  ///
  /// Called automatically on platforms with UIKit.
  public func didEnterBackground() {
    let now = engine.environment.clock.uptime
    engine.recorder.withLock { $0.sessions.enteredBackground(at: now) }
    engine.refreshLaunch()
    engine.mailbox.post(.input(.enteredBackground))
  }

  /// Notifies the client that the app is about to enter the foreground; a new session may begin.
  ///
  /// Called automatically on platforms with UIKit.
  public func willEnterForeground() {
    let now = engine.environment.clock.uptime
    engine.beginSession { $0.entersForeground(at: now) }
    engine.mailbox.post(.input(.enteredForeground))
  }

  /// Notifies the client that the process is about to end; recorded events are flushed to the disk.
  ///
  /// Events survive the end of the process even without this call; it protects them against power loss. Called
  /// automatically on platforms with UIKit.
  public func willTerminate() {
    engine.endLaunch()
    if engine.isBuffering {
      engine.openStorage()
      engine.mailbox.post(.refresh)
    }
    if engine.configuration.durability != .never { engine.log.synchronize() }
  }

  /// Notifies the client that protected files have become readable, as after the first unlock since boot.
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

  /// Allows or forbids requests. The choice is the user's, so it is saved before this returns.
  func setAllowsRequests(_ isAllowed: Bool) {
    files.withLock { files in
      files.unsaved.allowsRequests = isAllowed
      files.save()
      setPaused(!isAllowed, for: .notAllowed, &files)
      // The loop retries.
      if files.hasUnsaved { mailbox.post(.refresh) }
    }
  }

  /// Must be called with the lock held, so that the last message posted reflects the last change.
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

  /// Returns a new flush identifier.
  package func makeFlushID() -> FlushID {
    clientState.withLock { state in
      state.nextFlush += 1
      return FlushID(number: state.nextFlush)
    }
  }

  /// Requests a flush; `completion` is called exactly once, from any thread.
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
      id, .failed(DeliveryError(.stopped, "The task waiting for the flush was cancelled.")))
  }

  /// Completes a flush unless it is already complete.
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

  /// Stops recording and ends the delivery loop, which closes the log.
  package func close() {
    stopWatching()
    stopCatching()
    endLaunch()
    recorder.withLock { $0.isClosed = true }
    mailbox.close()
  }
}

extension TernClient {
  /// Registers a listener for the outcome of the first delivery attempt and each later change of outcome; `nil` means
  /// success. It is called on the client's own task.
  package func onAttempts(_ listener: @escaping @Sendable (DeliveryError?) -> Void) {
    engine.clientState.withLock { $0.attemptListener = listener }
  }
}
