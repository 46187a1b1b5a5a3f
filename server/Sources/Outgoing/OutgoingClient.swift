import Cryptography
import Foundation
import ServerBase
import TernBase
package import TernEvents
import Threads

/// Sends mails, webhooks and messages to chats. Everything that the server sends to people goes through here, within
/// the same bounds.
package final class OutgoingClient: Sendable {
  /// The operator's settings.
  package struct Configuration: Sendable {
    /// The mail server, and the sender's address; `nil` if there is none.
    package var mail: (server: MailServer, from: MailAddress)?
    /// The addresses that webhooks may be sent to.
    package var addresses: AddressPolicy
    /// The secret from which each receiver's secret is derived.
    package var secret: [UInt8]
    /// The time for one attempt.
    package var timeout: Duration

    package init(
      mail: (server: MailServer, from: MailAddress)? = nil, addresses: AddressPolicy = AddressPolicy(), secret: [UInt8],
      timeout: Duration = .seconds(30)
    ) {
      (self.mail, self.addresses, self.secret, self.timeout) = (mail, addresses, secret, timeout)
    }
  }

  private let configuration: Configuration
  private let wallTime: @Sendable () -> Timestamp
  /// The most messages that are sent at the same time.
  package static let maximumConcurrent = ThreadKind.outgoing.count
  private let threads = ThreadPool<Int>(.outgoing)

  /// Creates a client.
  ///
  /// - Parameter wallTime: The clock for signatures.
  package init(_ configuration: Configuration, wallTime: @escaping @Sendable () -> Timestamp) {
    (self.configuration, self.wallTime) = (configuration, wallTime)
  }

  deinit { threads.close() }

  /// True if mails can be sent.
  package var sendsMail: Bool { configuration.mail != nil }

  /// Sends a message, and returns the receiver's answer.
  package func send(_ message: OutgoingMessage, to destination: Destination) async throws(OutgoingError) -> String {
    let request = try request(message, destination)
    let answer: Transfer.Answer
    do {
      answer = try await perform(request)
    } catch {
      // Others may repeat what the receiver has said; these words are Tern's own.
      throw error.code == .refusedAddress
        ? error : OutgoingError(error.code, destination.withoutSecret(error.message))
    }
    let line = destination.withoutSecret(answer.line)
    if case .mail = destination { return line }
    // The whole line before it is cut: a part of a secret isn't recognized.
    let whole = AnswerText.whole(String(decoding: answer.body, as: UTF8.self))
    let body = AnswerText.line(destination.withoutSecret(whole))
    let text = body.isEmpty ? line : "\(line): \(body)"
    guard (200..<300).contains(answer.status) else {
      let hint =
        (300..<400).contains(answer.status) ? " Redirects aren't followed: enter the address that it redirects to." : ""
      throw OutgoingError(.answer(answer.status), "The receiver answered \(text).\(hint)")
    }
    return text
  }

  /// Sends a request to a server that the operator has configured, and returns its whole answer, whatever its status.
  package func exchange(_ request: WebRequest) async throws(OutgoingError) -> WebAnswer {
    var transfer = Transfer.Request(
      url: request.address, content: .get(headers: request.headers), body: [], authorities: request.authorities,
      timeout: configuration.timeout, wholeAnswerBytes: WebRequest.maximumAnswerBytes)
    if case .post(let body) = request.method {
      (transfer.content, transfer.body) = (.post(headers: request.headers), body)
    }
    let answer = try await perform(transfer)
    return WebAnswer(status: answer.status, body: answer.body)
  }

  private func perform(_ request: Transfer.Request) async throws(OutgoingError) -> Transfer.Answer {
    let isCancelled = Locked(false)
    let result: Result<Transfer.Answer, OutgoingError>
    do {
      result = try await withTaskCancellationHandler {
        try await threads.run {
          Result { () throws(OutgoingError) in
            try Transfer(request) { isCancelled.withLock { $0 } }.perform()
          }
        }
      } onCancel: {
        isCancelled.withLock { $0 = true }
      }
    } catch {
      throw OutgoingError(.cancelled, "The server is stopping.")
    }
    return try result.get()
  }

  /// The secret that signs messages to a receiver. One receiver's secret reveals nothing about another's.
  package func secret(of address: WebAddress) -> String {
    hexadecimal(HashFunction.sha256.authenticationCode(of: address.text.utf8, key: configuration.secret))
  }

  private func request(
    _ message: OutgoingMessage, _ destination: Destination
  ) throws(OutgoingError) -> Transfer.Request {
    switch destination {
    case .mail(let to):
      guard let mail = configuration.mail else {
        throw OutgoingError(
          .connection, "There is no mail server. Set --smtp and --mail-from, and restart the server.")
      }
      let bytes = MailMessage(message: message, from: mail.from, to: to).bytes
      return Transfer.Request(
        url: mail.server.url,
        content: .mail(from: mail.from.text, to: [to.text], mail.server.protection), body: bytes,
        user: mail.server.user, password: mail.server.password, authorities: mail.server.authorities,
        timeout: configuration.timeout)
    case .post(let format, let address):
      let body = format.body(message, address)
      var headers = ["Content-Type: application/json", "User-Agent: Tern"]
      if format.isSigned {
        let signature = signature(of: body, at: wallTime().secondsSince1970, for: address)
        headers += ["X-Tern-Id: \(message.id)", "X-Tern-Signature: \(signature)"]
      }
      return Transfer.Request(
        url: address.text, content: .post(headers: headers), body: body, timeout: configuration.timeout,
        accepts: { [addresses = configuration.addresses] in addresses.accepts($0) })
    }
  }

  /// The header by which a receiver checks that a message is from this server and recent: the HMAC-SHA256 of the time,
  /// a dot and the body.
  func signature(of body: [UInt8], at time: Int64, for address: WebAddress) -> String {
    let code = HashFunction.sha256.authenticationCode(
      of: Array("\(time).".utf8) + body, key: Array(secret(of: address).utf8))
    return "t=\(time),v1=\(hexadecimal(code))"
  }
}
