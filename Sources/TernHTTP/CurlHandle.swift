import TernBase

#if canImport(CTernCurl)
  import CTernCurl

  /// Owns libcurl's handles for one request at a time and the connections kept open between requests.
  ///
  /// `@unchecked Sendable` because the client gives it to one thread at a time.
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
#endif
