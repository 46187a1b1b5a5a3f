import TernBase

#if canImport(CTernCurl)
  import CTernCurl
  public import TernValues

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Sends requests with libcurl, without cookies, caching or redirects.
  ///
  /// It replaces `URLSession`, which on Linux keeps a core busy while a request waits, bounds idle time but not the
  /// whole request, and may trap when a task is cancelled (all measured with Swift 6.3.1). Each request has its own
  /// thread while it runs; none remain between requests.
  public final class HTTPClient: Sendable {
    private let idle = Locked<[CurlConnections]>([])
    /// The maximum number of idle handles kept for their open connections.
    private let maximumIdle: Int

    /// - Parameter maximumIdle: The maximum number of handles that are kept, with their open connections, between requests.
    public init(maximumIdle: Int = 3) { self.maximumIdle = maximumIdle }

    /// Sends a request and waits for the response; returns a failure early if the task is cancelled.
    public func send(_ request: Request) async -> Result<TransportResponse, Failure> {
      let cancellation = CurlCancellation()
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isStarted = startThread { [self] in
            continuation.resume(returning: perform(request, cancellation))
          }
          if !isStarted {
            continuation.resume(returning: .failure(Failure(.connection, "No thread could be started.")))
          }
        }
      } onCancel: {
        cancellation.cancel()
      }
    }

    /// Closes idle connections.
    public func closeIdle() {
      // Release the handles after unlocking: closing takes longer than a lock should be held.
      let handles = idle.withLock { idle in
        defer { idle = [] }
        return idle
      }
      withExtendedLifetime(handles) {}
    }

    private func perform(_ request: Request, _ cancellation: CurlCancellation) -> Result<TransportResponse, Failure> {
      guard let connections = idle.withLock({ $0.popLast() }) ?? CurlConnections() else {
        return .failure(Failure(.connection, "libcurl cannot be used."))
      }
      let result = CurlExchange(request).perform(on: connections, until: cancellation)
      idle.withLock { if $0.count < maximumIdle { $0.append(connections) } }
      return result
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
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, &attributes,
      { context in
        // Glibc's pointer is optional, Darwin's is not.
        let context: UnsafeMutableRawPointer? = context
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if code != 0 { box.release() }
    return code == 0
  }
#else
  /// Sends requests with libcurl, where there is libcurl.
  public enum HTTPClient {}
#endif
