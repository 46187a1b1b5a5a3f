import TernBase

#if !canImport(Darwin)
  import Dispatch
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Catches termination signals for all clients. It is a singleton because signal handlers are process-wide.
  ///
  /// Once used, it keeps a pipe and a dispatch source but no thread.
  final class TerminationSignals: Sendable {
    static let shared = TerminationSignals()

    private struct Client {
      var signals: Set<TerminationSignal>
      var deadline: Duration
      var flush: @Sendable () async -> Void
    }

    /// The flush between the arrival of a signal and its previous action.
    private struct FinalFlush {
      let number: Int
      let work: Task<Void, Never>
    }

    private struct State {
      var next = 0
      var clients: [Int: Client] = [:]
      /// The previous action of each caught signal.
      var caught: [Int32: SignalAction] = [:]
      /// The signals received but not yet passed on.
      var pending: [Int32: FinalFlush] = [:]
      /// Reads the pipe that the handler writes to; created at the first use and kept.
      var source: (any DispatchSourceRead)?
    }

    /// Calls a closure on a queue after a time.
    typealias Timer = @Sendable (DispatchQueue, Duration, @escaping @Sendable () -> Void) -> Void

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "tern.termination")
    private let timer: Timer

    init(
      timer: @escaping Timer = { queue, time, action in
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: time.wholeMilliseconds)), execute: action)
      }
    ) {
      self.timer = timer
    }

    /// Calls `flush` when one of the signals arrives, until the observation ends.
    func observe(
      _ signals: Set<TerminationSignal>, deadline: Duration, _ flush: @escaping @Sendable () async -> Void
    ) -> TerminationObservation {
      guard SignalPipe.shared.readEnd >= 0 else { return TerminationObservation {} }
      let number = state.withLock { state in
        state.next += 1
        state.clients[state.next] = Client(signals: signals, deadline: deadline, flush: flush)
        if state.source == nil {
          let source = DispatchSource.makeReadSource(fileDescriptor: SignalPipe.shared.readEnd, queue: queue)
          source.setEventHandler { [weak self] in SignalPipe.shared.readAll { self?.received($0) } }
          source.activate()
          state.source = source
        }
        for signal in signals where state.caught[signal.number] == nil {
          state.caught[signal.number] = SignalAction.catching(signal.number)
        }
        return state.next
      }
      return TerminationObservation { [weak self] in self?.forget(number) }
    }

    /// Restores the previous actions of signals that no client observes any more.
    private func forget(_ client: Int) {
      state.withLock { state in
        state.clients[client] = nil
        let wanted = Set(state.clients.values.flatMap(\.signals).map(\.number))
        for (signal, action) in state.caught where !wanted.contains(signal) && state.pending[signal] == nil {
          // A handler set since then may call ours, so keep ours to pass signals on.
          if action.putBack(signal, evenIfReplaced: false) { state.caught[signal] = nil }
        }
      }
    }

    private func received(_ signal: Int32) {
      let (clients, isImpatient) = state.withLock { state in
        (state.clients.values.filter { $0.signals.contains { $0.number == signal } }, state.pending[signal] != nil)
      }
      // A second signal terminates immediately; without a client there is nothing to wait for.
      guard !isImpatient, let longest = clients.map(\.deadline).max() else { return pass(signal) }
      let number = state.withLock { state in
        state.next += 1
        return state.next
      }
      let work = Task { [queue] in
        await withDiscardingTaskGroup { group in
          for client in clients { group.addTask { await client.flush() } }
        }
        queue.async { self.pass(signal, endOf: number) }
      }
      state.withLock { $0.pending[signal] = FinalFlush(number: number, work: work) }
      // Use Dispatch rather than a task: this must work even if the app blocks all threads of Swift's pool.
      timer(queue, min(longest, .longest)) { self.pass(signal, endOf: number) }
    }

    /// Passes the signal on unless that has been done: an app that survives it may already expect the next one.
    private func pass(_ signal: Int32, endOf number: Int) {
      if state.withLock({ $0.pending[signal]?.number == number }) { pass(signal) }
    }

    /// Restores the signal's previous action and raises it again.
    private func pass(_ signal: Int32) {
      let (action, pendingFlush) = state.withLock { state in
        (state.caught.removeValue(forKey: signal), state.pending.removeValue(forKey: signal))
      }
      pendingFlush?.work.cancel()
      guard let action else { return }
      _ = action.putBack(signal, evenIfReplaced: true)
      kill(getpid(), signal)
    }
  }

  /// An observation of signals, which ends when it is deallocated.
  final class TerminationObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  /// A process's action for a signal.
  private struct SignalAction: @unchecked Sendable {
    // Unchecked because of the function pointers in it, which never change.
    private var action: sigaction

    /// Catches the signal; returns its previous action, or `nil` if it cannot be caught.
    static func catching(_ signal: Int32) -> SignalAction? {
      var catching = sigaction()
      #if canImport(Glibc)
        catching.__sigaction_handler.sa_handler = caughtSignal
      #else
        catching.__sa_handler.sa_handler = caughtSignal
      #endif
      // Restart the app's interrupted system calls, and use the alternate stack of threads that have one.
      catching.sa_flags = SA_RESTART | SA_ONSTACK
      sigemptyset(&catching.sa_mask)
      var before = sigaction()
      return sigaction(signal, &catching, &before) == 0 ? SignalAction(action: before) : nil
    }

    /// Restores the previous action; returns false if another handler has been set since, which stays.
    func putBack(_ signal: Int32, evenIfReplaced: Bool) -> Bool {
      var current = sigaction()
      sigaction(signal, nil, &current)
      guard evenIfReplaced || isOurs(current) else { return false }
      var action = action
      sigaction(signal, &action, nil)
      return true
    }

    private func isOurs(_ action: sigaction) -> Bool {
      #if canImport(Glibc)
        let handler = action.__sigaction_handler.sa_handler
      #else
        let handler = action.__sa_handler.sa_handler
      #endif
      let ours: @convention(c) (Int32) -> Void = caughtSignal
      return unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(ours, to: UInt.self)
    }
  }

  /// The pipe through which the handler wakes the process; created before the first handler is installed.
  private struct SignalPipe: Sendable {
    static let shared = SignalPipe()

    let readEnd: Int32
    let writeEnd: Int32
    let process = getpid()

    private init() {
      var ends: [Int32] = [-1, -1]
      if pipe(&ends) == 0 {
        for end in ends {
          _ = fcntl(end, F_SETFD, FD_CLOEXEC)
          _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
      }
      (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func readAll(_ body: (Int32) -> Void) {
      var bytes = [UInt8](repeating: 0, count: 64)
      while case let count = read(readEnd, &bytes, bytes.count), count > 0 {
        for signal in bytes[..<count] { body(Int32(signal)) }
      }
    }
  }

  /// The signal handler. It may interrupt anything, even an allocation or a lock, so it only makes system calls.
  private func caughtSignal(_ signal: Int32) {
    let before = errno
    if getpid() == SignalPipe.shared.process {
      var byte = UInt8(truncatingIfNeeded: signal)
      _ = write(SignalPipe.shared.writeEnd, &byte, 1)
    } else {
      // This is a child between fork and exec: the signal is not meant for its parent.
      _ = systemSignal(signal, SIG_DFL)
      raise(signal)
    }
    errno = before
  }

  private func systemSignal(_ number: Int32, _ handler: sighandler_t?) -> sighandler_t? { signal(number, handler) }
#endif
