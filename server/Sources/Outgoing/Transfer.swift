import CTernCurl
import ServerBase
import TernBase
import TernHTTP

/// One request to another server, performed by libcurl on the calling thread.
///
/// It follows no redirects and uses no proxy, so the address that is checked is the one that gets the message.
final class Transfer {
  /// A request with its bounds.
  struct Request: Sendable {
    /// The two protocols.
    enum Content: Sendable {
      /// A mail with the addresses of its envelope.
      case mail(from: String, to: [String], MailServer.Protection)
      /// An HTTP POST with its headers.
      case post(headers: [String])
      /// An HTTP GET with its headers.
      case get(headers: [String])
    }

    var url: String
    var content: Content
    var body: [UInt8]
    var user: String?
    var password: String?
    /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
    var authorities: String?
    /// The time for the whole request, without the wait for the reply to a mail that was sent as a whole.
    var timeout: Duration
    /// The size of a whole answer that is needed, in bytes, with its headers; `nil` if its beginning is enough.
    var wholeAnswerBytes: Int?
    /// Returns true for an address that may be connected to.
    var accepts: @Sendable (IPAddress) -> Bool = { _ in true }
  }

  /// The receiver's answer: the status, its status line or last reply, and the beginning of the body.
  struct Answer: Sendable {
    var status: Int
    var line: String
    var body: [UInt8]
  }

  /// The longest part of an answer that is kept, in bytes; the rest is read and dropped up to ``maximumAnswerBytes``.
  static let keptAnswerBytes = 1 << 10
  /// The size of an answer, in bytes, beyond which the connection is closed.
  static let maximumAnswerBytes = 16 << 10
  /// The time for the reply to a mail that was sent as a whole. A server may check it for long, and to give up means to send
  /// it again: RFC 5321 §4.5.3.2.6 asks for ten minutes.
  static let mailPatience: Duration = .seconds(600)

  private let request: Request
  private let isCancelled: () -> Bool
  private var sent = 0
  private var received = 0
  private var line = ""
  /// The last negative reply of a mail server.
  private var refusal = ""
  /// True once a mail server has accepted user and password (RFC 4954 §6).
  private var isLoggedIn = false
  /// True if there are user and password for a mail server that asked for none.
  private var isUnasked: Bool { isMail && request.user != nil && !isLoggedIn }
  private var body: [UInt8] = []
  private var refused: IPAddress?
  private var deadline = ContinuousClock.now
  private var isLate = false
  private var sockets: Set<curl_socket_t> = []

  /// Creates a request that ends within a second once `isCancelled` returns true.
  init(_ request: Request, isCancelled: @escaping () -> Bool) {
    (self.request, self.isCancelled) = (request, isCancelled)
  }

  /// Sends the request and waits for the answer, the timeout or the cancellation.
  func perform() throws(OutgoingError) -> Answer {
    guard let handle = CurlHandle() else { throw OutgoingError(.connection, "libcurl can't be initialized.") }
    deadline = .now + request.timeout
    let code = request.body.withUnsafeBytes { bytes in
      configure(handle, bytes)
      return handle.perform()
    }
    let status = handle.status
    // A receiver that sends a status and then too long a page has accepted the message.
    let isCut = code == CURLE_WRITE_ERROR && isTooLong && request.wholeAnswerBytes == nil && !isMail && status > 0
    guard code == CURLE_OK || isCut else { throw error(code, status, handle.explanation(of: code)) }
    return Answer(status: status, line: line, body: body)
  }

  private var isTooLong: Bool { received > request.wholeAnswerBytes ?? Self.maximumAnswerBytes }

  private var isMail: Bool { if case .mail = request.content { true } else { false } }

  private func configure(_ handle: CurlHandle, _ bytes: UnsafeRawBufferPointer) {
    handle.set(CURLOPT_URL, request.url)
    // An empty proxy keeps libcurl from using that of the environment.
    handle.set(CURLOPT_PROXY, "")
    handle.set(CURLOPT_CAINFO, request.authorities)
    handle.set(CURLOPT_USERNAME, request.user)
    handle.set(CURLOPT_PASSWORD, request.password)
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, request.timeout)
    // The limit of one reply, which is two minutes otherwise. The deadline is earlier.
    handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Int((request.timeout + Self.mailPatience).components.seconds) + 1)
    switch request.content {
    case .mail(let from, let to, let protection):
      handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
      handle.set(CURLOPT_UPLOAD, 1)
      switch protection {
      case .none: handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
      case .offered:
        handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_TRY.rawValue))
        handle.set(CURLOPT_SSL_VERIFYPEER, 0)
        handle.set(CURLOPT_SSL_VERIFYHOST, 0)
      case .required: handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
      }
      handle.set(CURLOPT_MAIL_FROM, "<\(from)>")
      handle.set(CURLOPT_MAIL_RCPT, to.map { "<\($0)>" })
    case .post(let headers):
      handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
      handle.set(CURLOPT_HTTPHEADER, headers + ["Expect:"])
      handle.setPost(bytes)
    case .get(let headers):
      handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
      handle.set(CURLOPT_HTTPHEADER, headers)
    }
    setCallbacks(handle)
  }

  private func setCallbacks(_ handle: CurlHandle) {
    // `perform` keeps this object alive until libcurl has returned.
    let (easy, context) = (handle.easy, Unmanaged.passUnretained(self).toOpaque())
    handle.set {
      tern_curl_set_receivers(
        easy, { bytes, size, count, context in Transfer.at(context)?.receiveLine(bytes, size * count) ?? 0 },
        { bytes, size, count, context in Transfer.at(context)?.receiveBody(bytes, size * count) ?? 0 }, context)
    }
    handle.set {
      tern_curl_set_upload(
        easy, { bytes, size, count, context in Transfer.at(context)?.upload(bytes, size * count) ?? 0 }, context)
    }
    // Makes libcurl call the progress callback, which ends the request.
    handle.set(CURLOPT_NOPROGRESS, 0)
    handle.set {
      tern_curl_set_progress(easy, { context, _, _, _, _ in Transfer.at(context)?.mustStop() ?? true ? 1 : 0 }, context)
    }
    handle.set {
      tern_curl_set_sockets(
        easy, { context, _, address in Transfer.at(context)?.open(address) ?? curl_socket_t(-1) },
        { context, socket in Transfer.at(context)?.close(socket) ?? -1 }, context)
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Opens the socket for an address. The name is resolved already, so a second DNS answer can't change the address.
  private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let address else { return -1 }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = Int(tern_curl_address(address, &bytes))
    guard let peer = IPAddress(bytes: Array(bytes.prefix(count))) else { return -1 }
    guard request.accepts(peer) else {
      refused = peer
      return -1
    }
    let socket = tern_curl_socket(address)
    if socket >= 0 { sockets.insert(socket) }
    return socket
  }

  private func close(_ socket: curl_socket_t) -> CInt {
    sockets.remove(socket)
    return tern_curl_close_socket(socket)
  }

  /// Returns true if the request is cancelled or late; libcurl asks about once a second.
  private func mustStop() -> Bool {
    isLate = isLate || .now >= deadline
    guard isLate || isCancelled() else { return false }
    // Otherwise libcurl says QUIT to a mail server, and waits for its reply.
    for socket in sockets { tern_curl_shut_down(socket) }
    return true
  }

  private func receiveLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let bytes, receive(count) else { return 0 }
    let text = AnswerText.line(UnsafeRawBufferPointer(start: bytes, count: count))
    // HTTP's status line says more than its last header; SMTP's last line says more than its first.
    if isMail || text.hasPrefix("HTTP/") { line = text }
    if isMail, text.hasPrefix("235") { isLoggedIn = true }
    // After a negative reply, libcurl sends QUIT, and the server replies to that, too.
    if isMail, text.hasPrefix("4") || text.hasPrefix("5") { refusal = text }
    return count
  }

  private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let bytes, receive(count) else { return 0 }
    let kept = request.wholeAnswerBytes ?? Self.keptAnswerBytes
    body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: min(count, kept - body.count)))
    return count
  }

  /// Counts received bytes; false if there are too many. A callback that then consumes nothing makes libcurl stop.
  private func receive(_ count: Int) -> Bool {
    received += count
    return !isTooLong
  }

  private func upload(_ bytes: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
    guard let bytes else { return 0 }
    // libcurl goes on without a login if none is offered. A mail that was begun and not ended is none.
    guard !isUnasked else { return Int(CURL_READFUNC_ABORT) }
    let count = min(room, request.body.count - sent)
    request.body.withUnsafeBytes { body in
      UnsafeMutableRawBufferPointer(start: bytes, count: room).copyMemory(
        from: .init(rebasing: body[sent..<sent + count]))
    }
    sent += count
    if isMail, sent == request.body.count { deadline = max(deadline, .now + Self.mailPatience) }
    return count
  }

  /// Returns advice against a failure that settings can mend; empty if there is none.
  private func advice(_ code: CURLcode, _ status: Int) -> String {
    guard case .mail(_, _, let protection) = request.content else { return "" }
    return switch (code, status) {
    case (CURLE_USE_SSL_FAILED, _):
      " The mail server offers no TLS on this port: use another one, or ?tls=none if nobody else can read the connection."
    case (CURLE_PEER_FAILED_VERIFICATION, _): " Name the authority of its certificate with --smtp-ca."
    case (CURLE_SSL_CONNECT_ERROR, _) where protection == .offered:
      " The TLS of the mail server doesn't work: mend it, or add ?tls=none."
    case (_, 530) where protection == .none: " The mail server needs TLS: leave out ?tls=none."
    case (_, 530) where request.user == nil: " The mail server needs a login: set --smtp-user and its password."
    default: ""
    }
  }

  private func error(_ code: CURLcode, _ status: Int, _ explanation: String) -> OutgoingError {
    if let refused, code == CURLE_COULDNT_CONNECT {
      return OutgoingError(
        .refusedAddress,
        "\(refused) isn't an address of the public internet, so nothing is sent to it. The operator can allow it with "
          + "--allow-webhooks-to.")
    }
    if isUnasked, code == CURLE_ABORTED_BY_CALLBACK, !isLate, !isCancelled() {
      return OutgoingError(
        .login,
        "The mail server offers no login, so nothing is sent with the user's name. Use its port for submission, often 587, or "
          + "leave out --smtp-user.")
    }
    let status = Int(refusal.prefix(3)) ?? status
    let said = refusal.isEmpty ? line : refusal
    let text = isLate ? "The request timed out." : AnswerText.line(explanation)
    let kind: OutgoingError.Code =
      switch code {
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_ABORTED_BY_CALLBACK where isLate: .timedOut
      case CURLE_ABORTED_BY_CALLBACK: .cancelled
      case CURLE_WRITE_ERROR: .tooLong
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED: .untrusted
      case CURLE_LOGIN_DENIED: .login
      // For mail, libcurl reports a negative reply as an error. Replies from 500 on are final (RFC 5321 §4.2.1).
      default: (400..<600).contains(status) ? (status < 500 ? .answer(status) : .rejected(status)) : .connection
      }
    let help = kind == .cancelled ? "" : advice(code, status)
    return OutgoingError(kind, (said.isEmpty || kind == .cancelled ? text : "\(text) (\(said))") + help)
  }
}
