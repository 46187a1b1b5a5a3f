import TernBase

#if canImport(Darwin)
  import Foundation
  import TernEvents

  // Never available on Apple platforms; it lets Scripts/check type-check this file elsewhere.
  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Sends requests with `URLSession`, without cookies, caching or redirects; the transport on Apple platforms.
  public final class URLSessionTransport: Transport {
    private let receiver = Receiver()
    /// Created with the first request: a session is not free, and a client may never send one.
    private let session = Locked<URLSession?>(nil)

    /// Creates a transport.
    public init() {}

    deinit {
      // A session retains its delegate until it is invalidated.
      session.withLock { $0?.invalidateAndCancel() }
    }

    /// Sends a request and waits for the response; returns a failure early if the task is cancelled.
    public func send(_ request: TransportRequest) async -> TransportResult {
      let task = openSession().dataTask(with: urlRequest(for: request))
      let receiver = receiver
      let stop: @Sendable () -> Void = {
        receiver.abandon(task.taskIdentifier)
        task.cancel()
      }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          receiver.expect(task.taskIdentifier, continuation)
          task.resume()
          if Task.isCancelled { stop() }
        }
      } onCancel: {
        stop()
      }
    }

    private func openSession() -> URLSession {
      session.withLock { session in
        if let session { return session }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        // The request's own timeout covers only idle time; this bounds a response that trickles in.
        configuration.timeoutIntervalForResource = 300
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let made = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        session = made
        return made
      }
    }

    private func urlRequest(for request: TransportRequest) -> URLRequest {
      var urlRequest = URLRequest(url: request.url)
      urlRequest.httpMethod = request.method.rawValue
      if request.method == .post { urlRequest.httpBody = Data(request.body) }
      urlRequest.timeoutInterval = Double(request.timeout.wholeMilliseconds) / 1000
      for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
      return urlRequest
    }
  }

  /// Collects responses. It is a delegate because completion handlers cannot refuse redirects.
  private final class Receiver: NSObject, URLSessionDataDelegate {
    private struct Pending {
      var continuation: CheckedContinuation<TransportResult, Never>
      var body: [UInt8] = []
    }

    /// Larger than any acknowledgement: a longer response is not from a collector and must not fill our memory.
    private static let maximumBodyBytes = 4 << 20

    private let pending = Locked<[Int: Pending]>([:])

    func expect(_ task: Int, _ continuation: CheckedContinuation<TransportResult, Never>) {
      pending.withLock { $0[task] = Pending(continuation: continuation) }
    }

    func abandon(_ task: Int) {
      let waiter = pending.withLock { $0.removeValue(forKey: task) }
      waiter?.continuation.resume(returning: .failure(TransportFailure(.connection, "The request was cancelled.")))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLong = pending.withLock { pending in
        pending[dataTask.taskIdentifier]?.body.append(contentsOf: data)
        return (pending[dataTask.taskIdentifier]?.body.count ?? 0) > Self.maximumBodyBytes
      }
      if isTooLong {
        abandon(dataTask.taskIdentifier)
        dataTask.cancel()
      }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      guard let waiter = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
      waiter.continuation.resume(returning: result(of: task, body: waiter.body, error: error))
    }

    private func result(of task: URLSessionTask, body: [UInt8], error: (any Error)?) -> TransportResult {
      if let error { return .failure(failure(error)) }
      guard let response = task.response as? HTTPURLResponse else {
        return .failure(TransportFailure(.connection, "The response is not HTTP."))
      }
      var headers: [String: String] = [:]
      for (name, value) in response.allHeaderFields {
        if let name = name as? String, let value = value as? String { headers[name] = value }
      }
      return .response(TransportResponse(status: response.statusCode, headers: headers, body: body))
    }

    private func failure(_ error: any Error) -> TransportFailure {
      let kind: TransportFailure.Kind =
        switch (error as? URLError)?.code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .dataNotAllowed, .internationalRoamingOff:
          .offline
        case .timedOut: .timedOut
        default: .connection
        }
      return TransportFailure(kind, "The collector cannot be reached: \(error.localizedDescription)")
    }
  }
#endif
