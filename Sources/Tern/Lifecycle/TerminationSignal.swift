import TernBase

#if !canImport(Darwin)
  import TernLog

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A signal that asks a process to end.
  public struct TerminationSignal: Hashable, Sendable {
    let number: Int32

    /// `SIGTERM`: what service managers and containers send first.
    public static let terminate = TerminationSignal(number: SIGTERM)
    /// `SIGINT`: Control-C in a terminal.
    public static let interrupt = TerminationSignal(number: SIGINT)
    /// `SIGHUP`: the terminal is gone.
    public static let hangUp = TerminationSignal(number: SIGHUP)
  }

  extension TernClient {
    /// Sends what waits when the process is asked to end, and lets it end as it would have without that.
    ///
    /// Opt-in, since signals belong to the app. From this call on the signal is caught. When it comes, everything that
    /// waits is sent; when that is done or has failed, at the latest after `deadline`, the handler that the app or the
    /// system had before is put back and gets the signal: a process without one ends by the signal, an app with one
    /// does what it always did, a process that ignores the signal goes on. This happens once; afterwards signals go
    /// where they went before. A second signal ends the wait at once.
    ///
    /// An app that sets a handler of its own *after* this call replaces this one, and should itself
    /// `await flush(deadline:)` before it ends. The same holds for frameworks that turn signals into a graceful
    /// shutdown. Nothing needs this call for events to survive the process: what was not sent is sent by the next
    /// launch. It matters where there may be no next launch on the same disk, as in a container.
    ///
    /// ``shutdown()`` puts the handler back that was there before.
    ///
    /// - Parameters:
    ///   - signals: Which signals to wait for; the default is `SIGTERM` alone.
    ///   - deadline: How long the process may live on; the default is 5 s. Service managers kill after 10 s (Docker) to
    ///     90 s (systemd).
    public func flushOnTermination(by signals: Set<TerminationSignal> = [.terminate], deadline: Duration = .seconds(5))
    {
      let engine = engine
      let observation = TerminationSignals.shared.observe(signals, deadline: max(deadline, .zero)) {
        if engine.configuration.durability != .never { engine.log.synchronize() }
        _ = await engine.sendEverything()
      }
      terminations.withLock { $0.append(observation) }
    }
  }
#endif
