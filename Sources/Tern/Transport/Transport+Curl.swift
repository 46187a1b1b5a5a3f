import TernBase

#if !canImport(Darwin)
  import CTernCurl
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Sends requests with libcurl, without cookies, caching or redirects; the transport on Linux.
  ///
  /// It replaces `URLSession`, which on Linux keeps a core busy while a request waits, bounds idle time but not the
  /// whole request, and may trap when a task is cancelled (all measured with Swift 6.3.1). Each request has its own
  /// thread while it runs; none remain between requests.
  public final class CurlTransport: Transport {
    private let idle = Locked<[CurlHandle]>([])
    /// The maximum number of idle handles kept for their open connections.
    private static let maximumIdle = 3

    /// Creates a transport.
    public init() {
      Self.initializeOnce
    }

    /// Sends a request and waits for the response; returns a failure early if the task is cancelled.
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

    /// Closes idle connections.
    public func networkChanged() {
      // Release the handles after unlocking: closing takes longer than a lock should be held.
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

    /// libcurl must be initialized before any thread uses it.
    private static let initializeOnce: Void = {
      curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    }()
  }

  /// Owns libcurl's handles for one request at a time and the connections kept open between requests.
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
      // Unchecked because of the pointer: libcurl allows waking it from any thread, and it is used only under the lock.
      var isCancelled = false
      var multi: UnsafeMutableRawPointer?
    }

    private let state = Locked(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        // Under the lock, because the handle might be gone afterwards.
        if let multi = state.multi { curl_multi_wakeup(multi) }
      }
    }

    /// Sets the handle to wake on cancellation; `nil` when the exchange is over.
    func watch(_ multi: UnsafeMutableRawPointer?) {
      state.withLock { $0.multi = multi }
    }
  }

  /// Starts a detached thread with a small stack; returns false if the system cannot create one.
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
