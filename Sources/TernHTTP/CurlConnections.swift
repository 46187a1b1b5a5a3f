import TernBase

#if canImport(CTernCurl)
  import CTernCurl

  /// A handle for one request at a time, and the connections that it keeps open between requests.
  ///
  /// `@unchecked Sendable` because the client gives it to one thread at a time.
  final class CurlConnections: @unchecked Sendable {
    let handle: CurlHandle
    private let multi: UnsafeMutableRawPointer

    init?() {
      guard let handle = CurlHandle(), let multi = curl_multi_init() else { return nil }
      (self.handle, self.multi) = (handle, multi)
    }

    deinit { curl_multi_cleanup(multi) }

    /// Performs the handle's request. It uses the multi interface even for a single request, because only that can be woken.
    func perform(until cancellation: CurlCancellation) -> CURLcode {
      guard handle.code == CURLE_OK else { return handle.code }
      guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else { return CURLE_FAILED_INIT }
      cancellation.watch(multi)
      defer {
        cancellation.watch(nil)
        curl_multi_remove_handle(multi, handle.easy)
      }
      var running: Int32 = 1
      while !cancellation.isCancelled {
        guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
        if running == 0 {
          var rest: Int32 = 0
          guard let message = curl_multi_info_read(multi, &rest) else { return CURLE_FAILED_INIT }
          return message.pointee.data.result
        }
        // Sleep until there is activity, a deadline of libcurl's, or the cancellation.
        guard curl_multi_poll(multi, nil, 0, 60_000, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
      }
      return CURLE_ABORTED_BY_CALLBACK
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
#endif
