import TernEvents

#if canImport(CTernCurl)
  import CTernCurl

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// One request and its response, performed by libcurl on the request's thread.
  final class CurlExchange {
    private static let maximumHeaderBytes = 64 << 10

    private let request: HTTPClient.Request
    private var headers: [String: String] = [:]
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLong = false
    /// Where libcurl describes an error.
    private let explanation = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init(_ request: HTTPClient.Request) {
      self.request = request
      explanation.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { explanation.deallocate() }

    /// Sends the request and waits for the complete response, the timeout or the cancellation.
    func perform(
      on handle: CurlHandle, until cancellation: CurlCancellation
    ) -> Result<HTTPClient.Response, HTTPClient.Failure> {
      // Reset all options of the previous request, at the end, too: libcurl may close connections later, when what the
      // options point to is gone.
      curl_easy_reset(handle.easy)
      defer { curl_easy_reset(handle.easy) }
      var list: UnsafeMutablePointer<curl_slist>?
      defer { curl_slist_free_all(list) }
      // The empty `Expect` keeps libcurl from waiting up to a second for `100 Continue` before sending a large body.
      for line in request.headers.map({ "\($0.key): \($0.value)" }) + ["Expect:"] {
        guard let longer = curl_slist_append(list, line) else { return failure(CURLE_OUT_OF_MEMORY, handle) }
        list = longer
      }
      let code = request.body.withUnsafeBytes { bytes -> CURLcode in
        let code = configure(handle.easy, list, bytes)
        return code == CURLE_OK ? exchange(handle, cancellation) : code
      }
      guard code == CURLE_OK else { return failure(code, handle) }
      var status = 0
      tern_curl_get_status(handle.easy, &status)
      return .success(HTTPClient.Response(status: status, headers: headers, body: body))
    }

    /// Performs the transfer. It uses the multi interface even for a single request, because only that can be woken.
    private func exchange(_ handle: CurlHandle, _ cancellation: CurlCancellation) -> CURLcode {
      guard curl_multi_add_handle(handle.multi, handle.easy) == CURLM_OK else { return CURLE_FAILED_INIT }
      cancellation.watch(handle.multi)
      defer {
        cancellation.watch(nil)
        curl_multi_remove_handle(handle.multi, handle.easy)
      }
      var running: Int32 = 1
      while !cancellation.isCancelled {
        guard curl_multi_perform(handle.multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
        if running == 0 {
          var rest: Int32 = 0
          guard let message = curl_multi_info_read(handle.multi, &rest) else { return CURLE_FAILED_INIT }
          return message.pointee.data.result
        }
        // Sleep until there is activity, a deadline of libcurl's, or the cancellation.
        guard curl_multi_poll(handle.multi, nil, 0, 60_000, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
      }
      return CURLE_ABORTED_BY_CALLBACK
    }

    private func configure(
      _ pointer: UnsafeMutableRawPointer, _ list: UnsafeMutablePointer<curl_slist>?, _ bytes: UnsafeRawBufferPointer
    ) -> CURLcode {
      // Some versions of libcurl store only 32 bits.
      let milliseconds = Int(min(max(request.timeout.wholeMilliseconds, 1), Int64(Int32.max)))
      let numbers: [(CURLoption, Int)] = [
        (request.method == .post ? CURLOPT_POST : CURLOPT_HTTPGET, 1), (CURLOPT_FOLLOWLOCATION, 0),
        (CURLOPT_TIMEOUT_MS, milliseconds),
        (CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 30_000)),
        // Signals belong to the app; without this, name lookups may use SIGALRM.
        (CURLOPT_NOSIGNAL, 1),
      ]
      for (option, number) in numbers {
        let code = tern_curl_set_number(pointer, option, number)
        if code != CURLE_OK { return code }
      }
      let texts: [(CURLoption, String?)] = [
        (CURLOPT_URL, request.url), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_CAINFO, request.authorities),
      ]
      for case (let option, let text?) in texts {
        let code = tern_curl_set_text(pointer, option, text)
        if code != CURLE_OK { return code }
      }
      var code = tern_curl_set_headers(pointer, list)
      if code == CURLE_OK { code = tern_curl_set_explanation(pointer, explanation) }
      // A body would turn the request into a POST.
      if code == CURLE_OK, request.method == .post {
        code = tern_curl_set_body(pointer, bytes.baseAddress, bytes.count)
      }
      guard code == CURLE_OK else { return code }
      return tern_curl_set_receivers(
        pointer,
        { bytes, size, count, context in CurlExchange.at(context)?.receiveHeader(bytes, size * count) ?? 0 },
        { bytes, size, count, context in CurlExchange.at(context)?.receiveBody(bytes, size * count) ?? 0 },
        // `perform` keeps this object alive until libcurl has returned.
        Unmanaged.passUnretained(self).toOpaque())
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
      context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Receives one header line; a status line starts over, as after `100 Continue`.
    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      guard let bytes else { return 0 }
      headerBytes += count
      guard headerBytes <= Self.maximumHeaderBytes else { return 0 }
      let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
      if line.hasPrefix("HTTP/") { headers = [:] }
      guard let colon = line.firstIndex(of: ":") else { return count }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
      if headers[name] == nil { headers[name] = value }
      return count
    }

    private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      // Consuming less than offered ends the transfer.
      guard let bytes, body.count + count <= request.maximumResponseBytes else {
        isTooLong = true
        return 0
      }
      body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
      return count
    }

    private func failure(
      _ code: CURLcode, _ handle: CurlHandle
    ) -> Result<HTTPClient.Response, HTTPClient.Failure> {
      let kind: HTTPClient.Failure.Kind =
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .offline
        case CURLE_COULDNT_CONNECT where Self.isWithoutNetwork(handle): .offline
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_WRITE_ERROR where isTooLong: .tooLong
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .untrusted
        default: .connection
        }
      let message =
        switch kind {
        case .cancelled: "The request was cancelled."
        case .tooLong: "The response is too long."
        default: explanation.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: explanation)
        }
      return .failure(HTTPClient.Failure(kind, message))
    }

    /// True if the system reported that there is no route. Numeric addresses need no lookup that could fail first.
    private static func isWithoutNetwork(_ handle: CurlHandle) -> Bool {
      var number = 0
      tern_curl_get_system_error(handle.easy, &number)
      return number == Int(ENETUNREACH) || number == Int(ENETDOWN)
    }
  }
#endif
