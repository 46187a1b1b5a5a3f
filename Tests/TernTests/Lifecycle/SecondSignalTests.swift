#if os(Linux)
  import Dispatch
  import Glibc
  import TernBase
  import Testing

  @testable import Tern

  @Suite struct `A second signal after an ignored one` {
    /// In a process of its own, because signal handlers are process-wide.
    @Test func `has the full time again: the first one's deadline does not end its flush`() async {
      await #expect(processExitsWith: .success) {
        signal(SIGTERM, SIG_IGN)
        let deadlines = Locked<[(queue: DispatchQueue, action: @Sendable () -> Void)]>([])
        let signals = TerminationSignals { queue, _, action in deadlines.withLock { $0.append((queue, action)) } }
        let first = signals.observe([.terminate], deadline: .seconds(1)) {}
        kill(getpid(), SIGTERM)
        // The first signal is passed on: the app ignores it.
        while !isIgnored(SIGTERM) || deadlines.withLock({ $0.isEmpty }) { await Task.yield() }
        let deadline = deadlines.withLock { $0[0] }
        // It is raised again on the queue after that, and must not reach the second observer.
        await withCheckedContinuation { raised in deadline.queue.async { raised.resume() } }
        let (flushes, flushing) = AsyncStream.makeStream(of: Void.self)
        let second = signals.observe([.terminate], deadline: .seconds(3600)) {
          flushing.yield()
          try? await Task.sleep(for: .seconds(3600))
        }
        kill(getpid(), SIGTERM)
        for await _ in flushes { break }
        precondition(!isIgnored(SIGTERM), "the second signal waits for its flush")
        deadline.action()
        precondition(!isIgnored(SIGTERM), "and still does after the first one's deadline")
        withExtendedLifetime((first, second)) {}
      }
    }
  }

  private func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) == 1
  }
#endif
