import TernBase

#if !canImport(Darwin)
  import CTernCurl
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Sends requests with libcurl, the transport on Linux: no cookies, no cache, no redirects.
  ///
  /// Not `URLSession`: while a request waits for its answer, the Foundation of Linux keeps a core busy; it bounds only
  /// idle time, not the whole request; and cancelling a task may trap (all measured with Swift 6.3.1). Each request here
  /// has a thread for as long as it runs, and none is left in between.
  public final class CurlTransport: Transport {
    private let idle = Locked<[CurlHandle]>([])
    /// Handles kept for their open connections; more are closed.
    private static let maximumIdle = 3

    /// Creates a transport.
    public init() {
      Self.initializeOnce
    }

    /// Sends a request and waits for the answer; returns early with a failure when the task is cancelled.
    public func send(_ request: TransportRequest) async -> TransportResult {
      let cancellation = CurlCancellation()
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isStarted = startThread { [self] in
            continuation.resume(returning: perform(request, cancellation))
          }
          if !isStarted {
            continuation.resume(returning: .failure(TransportFailure(.connection, "No thread could be started.")))
          }
        }
      } onCancel: {
        cancellation.cancel()
      }
    }

    /// Closes the connections that no request uses.
    public func networkChanged() {
      // Let go of after unlocking: closing takes longer than a lock should be held.
      let handles = idle.withLock { idle in
        defer { idle = [] }
        return idle
      }
      withExtendedLifetime(handles) {}
    }

    private func perform(_ request: TransportRequest, _ cancellation: CurlCancellation) -> TransportResult {
      guard let handle = idle.withLock({ $0.popLast() }) ?? CurlHandle() else {
        return .failure(TransportFailure(.connection, "libcurl cannot be used."))
      }
      let result = CurlExchange(request).perform(on: handle, until: cancellation)
      idle.withLock { if $0.count < Self.maximumIdle { $0.append(handle) } }
      return result
    }

    /// libcurl asks to be initialised before any thread uses it.
    private static let initializeOnce: Void = {
      curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    }()
  }

  /// Owns what libcurl needs for one request at a time, and the connections that stay open between requests.
  ///
  /// `@unchecked Sendable` because the transport gives it to one thread at a time.
  final class CurlHandle: @unchecked Sendable {
    let easy: UnsafeMutableRawPointer
    let multi: UnsafeMutableRawPointer

    init?() {
      guard let easy = curl_easy_init() else { return nil }
      guard let multi = curl_multi_init() else {
        curl_easy_cleanup(easy)
        return nil
      }
      self.easy = easy
      self.multi = multi
    }

    deinit {
      curl_easy_cleanup(easy)
      curl_multi_cleanup(multi)
    }
  }

  /// Ends an exchange from another thread.
  final class CurlCancellation: Sendable {
    private struct State: @unchecked Sendable {
      // Unchecked for the pointer: libcurl allows to wake it from any thread, and it is used under the lock only.
      var isCancelled = false
      var multi: UnsafeMutableRawPointer?
    }

    private let state = Locked(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        // Under the lock, because afterwards the handle might be gone.
        if let multi = state.multi { curl_multi_wakeup(multi) }
      }
    }

    /// Names what has to be woken; `nil` when the exchange is over.
    func watch(_ multi: UnsafeMutableRawPointer?) {
      state.withLock { $0.multi = multi }
    }
  }

  /// Starts a detached thread with a small stack; false when the system has none left.
  private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 512 << 10)
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if code != 0 { box.release() }
    return code == 0
  }
#endif
