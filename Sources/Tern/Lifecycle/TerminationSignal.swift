import TernBase

#if !canImport(Darwin)
  import TernLog

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A signal that asks a process to terminate.
  public struct TerminationSignal: Hashable, Sendable {
    let number: Int32

    /// `SIGTERM`, sent first by service managers and container runtimes.
    public static let terminate = TerminationSignal(number: SIGTERM)
    /// `SIGINT`, sent by Control-C in a terminal.
    public static let interrupt = TerminationSignal(number: SIGINT)
    /// `SIGHUP`, sent when the terminal is closed.
    public static let hangUp = TerminationSignal(number: SIGHUP)
  }

  extension TernClient {
    /// Sends waiting events when the process receives a termination signal, then lets the signal take its usual effect.
    ///
    /// This is opt-in because signals belong to the app. It installs a handler. When a signal arrives, the client sends
    /// all waiting events. Once that has succeeded or failed, or after `deadline`, the previous handler is restored and
    /// the signal raised again, so that it has the same effect as without this call. This happens once per signal. A
    /// second signal ends the wait immediately.
    ///
    /// An app that installs its own handler *after* this call replaces this one, and should `await flush(deadline:)`
    /// itself before it exits. The same applies to frameworks that turn signals into a graceful shutdown. Events
    /// survive the process without this call, and the next launch sends them. It matters if there may be no next launch
    /// on the same disk, as in a container.
    ///
    /// A process that ends so is not terminated in the sense of ``Configuration/reportsTerminations``.
    ///
    /// ``shutdown()`` restores the previous handler.
    ///
    /// - Parameters:
    ///   - signals: The signals to handle; the default is `SIGTERM` alone.
    ///   - deadline: The maximum delay of the signal; the default is 5 s. Service managers kill the process after 10 s
    ///     (Docker) to 90 s (systemd).
    public func flushOnTermination(by signals: Set<TerminationSignal> = [.terminate], deadline: Duration = .seconds(5))
    {
      let engine = engine
      let observation = TerminationSignals.shared.observe(signals, deadline: max(deadline, .zero)) {
        engine.endLaunch()
        if engine.configuration.durability != .never { engine.log.synchronize() }
        _ = await engine.sendEverything()
      }
      terminations.withLock { $0.append(observation) }
    }
  }
#endif
