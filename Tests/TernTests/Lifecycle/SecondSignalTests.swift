#if os(Linux)
  import Glibc
  import TernBase
  import Testing

  @testable import Tern

  @Suite struct `A second signal after an ignored one` {
    /// In a process of its own, because signal handlers are process-wide.
    @Test func `has the full time again: the first one's deadline does not end its flush`() async {
      await #expect(processExitsWith: .success) {
        signal(SIGTERM, SIG_IGN)
        let deadlines = Locked<[@Sendable () -> Void]>([])
        let signals = TerminationSignals { _, _, action in deadlines.withLock { $0.append(action) } }
        let first = signals.observe([.terminate], deadline: .seconds(1)) {}
        kill(getpid(), SIGTERM)
        // The first signal is passed on: the app ignores it.
        while !isIgnored(SIGTERM) || deadlines.withLock({ $0.isEmpty }) { await Task.yield() }
        let (flushes, flushing) = AsyncStream.makeStream(of: Void.self)
        let second = signals.observe([.terminate], deadline: .seconds(3600)) {
          flushing.yield()
          try? await Task.sleep(for: .seconds(3600))
        }
        kill(getpid(), SIGTERM)
        for await _ in flushes { break }
        precondition(!isIgnored(SIGTERM), "the second signal waits for its flush")
        let deadline = deadlines.withLock { $0[0] }
        deadline()
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
