import TernValues

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

    init(_ request: HTTPClient.Request) { self.request = request }

    /// Sends the request and waits for the complete response, the timeout or the cancellation.
    func perform(
      on connections: CurlConnections, until cancellation: CurlCancellation
    ) -> Result<TransportResponse, HTTPClient.Failure> {
      let handle = connections.handle
      // libcurl may close connections later, when what the options point to is gone.
      defer { handle.reset() }
      let code = request.body.withUnsafeBytes { bytes in
        configure(handle, bytes)
        return connections.perform(until: cancellation)
      }
      guard code == CURLE_OK else { return failure(code, handle) }
      return .success(TransportResponse(status: handle.status, headers: headers, body: body))
    }

    private func configure(_ handle: CurlHandle, _ bytes: UnsafeRawBufferPointer) {
      handle.set(CURLOPT_URL, request.url)
      handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
      handle.set(CURLOPT_CAINFO, request.authorities)
      handle.set(CURLOPT_TIMEOUT_MS, request.timeout)
      handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(request.timeout, .seconds(30)))
      // The empty `Expect` keeps libcurl from waiting up to a second for `100 Continue` before sending a large body.
      handle.set(CURLOPT_HTTPHEADER, request.headers.map { "\($0.key): \($0.value)" } + ["Expect:"])
      if request.method == .post { handle.setPost(bytes) }
      handle.set {
        tern_curl_set_receivers(
          handle.easy,
          { bytes, size, count, context in CurlExchange.at(context)?.receiveHeader(bytes, size * count) ?? 0 },
          { bytes, size, count, context in CurlExchange.at(context)?.receiveBody(bytes, size * count) ?? 0 },
          // `perform` keeps this object alive until libcurl has returned.
          Unmanaged.passUnretained(self).toOpaque())
      }
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
    ) -> Result<TransportResponse, HTTPClient.Failure> {
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
        default: handle.explanation(of: code)
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
