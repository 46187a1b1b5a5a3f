#if TLS
  import AppCatalog
  import Foundation
  import NIOSSL
  import TernBase
  import Testing

  @testable import HTTP
  @testable import TernServer

  /// Tests connections that the server itself encrypts.
  @Suite(.timeLimit(.minutes(30))) final class TLSTests: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "tern-tls-\(UUID().uuidString)")
    private let files: TLSFiles

    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      files = TLSFiles(
        certificate: directory.appending(path: "tern.pem").path, key: directory.appending(path: "tern.key").path)
      try write(SampleCertificates.one, SampleCertificates.oneKey)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func write(_ certificate: String, _ key: String) throws {
      try Data(certificate.utf8).write(to: URL(filePath: files.certificate), options: .atomic)
      try Data(key.utf8).write(to: URL(filePath: files.key), options: .atomic)
    }

    private func request(_ path: String, _ more: String = "") -> String {
      "GET \(path) HTTP/1.1\r\nHost: tern.test\r\nConnection: close\r\n\(more)\r\n"
    }

    @Test func `requests are answered over TLS, and sessions are for https only`() async throws {
      let fixture = try Fixture()
      let code = try fixture.catalog.createLoginCode()
      try await fixture.running(tls: files) { [self] port in
        let (answer, certificate) = try await SecureConnection.exchange(request("/healthz"), port: port)
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("{\"status\":\"ok\"}"), "\(answer)")
        let expected = try NIOSSLCertificate(bytes: Array(SampleCertificates.one.utf8), format: .pem)
        #expect(certificate == expected)
        let login = try await SecureConnection.exchange(
          request("/login?code=\(code)", "X-Forwarded-Proto: http\r\n"), port: port)
        #expect(login.answer.contains("; Secure"), "\(login.answer)")
      }
    }

    @Test func `heads are measured in decrypted bytes, and too large ones are refused`() async throws {
      let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumHeadBytes: 4 << 10)))
      try await fixture.running(tls: files) { [self] port in
        let small = try await SecureConnection.exchange(
          request("/healthz", "X: \(String(repeating: "x", count: 3_000))\r\n"), port: port)
        #expect(small.answer.hasPrefix("HTTP/1.1 200"))
        // Not complete, so that it does not matter how many bytes are read at once.
        let large = try await SecureConnection.exchange(
          "GET /healthz HTTP/1.1\r\nX: \(String(repeating: "x", count: 9_000))", port: port)
        #expect(large.answer.hasPrefix("HTTP/1.1 431"), "\(large.answer)")
      }
    }

    @Test func `a handshake has the deadline of a head`() async throws {
      let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(headDeadline: .milliseconds(100))))
      try await fixture.running(tls: files) { port in
        try await RawConnection.open(to: port) { connection in
          // The beginning of a handshake, and then nothing.
          try await connection.send([0x16, 0x03, 0x01, 0x02])
          let answer = try await connection.receiveToEnd()
          #expect(answer.isEmpty)
        }
      }
    }

    @Test func `plain HTTP and versions before TLS 1.2 are refused`() async throws {
      let fixture = try Fixture()
      try await fixture.running(tls: files) { [self] port in
        try await RawConnection.open(to: port) { [self] connection in
          try await connection.send(request("/healthz"))
          let answer = try? await connection.receiveToEnd()
          #expect(answer?.contains("HTTP/1.1 200") != true)
        }
        let old = await Result {
          try await SecureConnection.exchange(request("/healthz"), port: port, maximumVersion: .tlsv11)
        }
        #expect(throws: (any Error).self) { try old.get() }
        let answer = try await SecureConnection.exchange(request("/healthz"), port: port).answer
        #expect(answer.hasPrefix("HTTP/1.1 200"))
      }
    }

    @Test func `a changed certificate is used by new connections without a restart`() async throws {
      let (ticks, clock) = AsyncStream.makeStream(of: Void.self)
      let fixture = try Fixture(sleep: { _ in
        for await _ in ticks { return }
        throw CancellationError()
      })
      try await fixture.running(tls: files) { [self] port in
        try write(SampleCertificates.two, SampleCertificates.twoKey)
        let expected = try NIOSSLCertificate(bytes: Array(SampleCertificates.two.utf8), format: .pem)
        var isChanged = false
        for _ in 0..<600 where !isChanged {
          clock.yield()
          isChanged = try await SecureConnection.exchange(request("/healthz"), port: port).certificate == expected
        }
        #expect(isChanged)
      }
    }

    @Test func `files are read once per change, and the previous certificate survives a bad one`() throws {
      let identity = try ServerIdentity(files)
      let first = identity.context
      #expect(try !identity.reload())
      // Between the replacements of the two files, they don't belong together.
      try Data(SampleCertificates.two.utf8).write(to: URL(filePath: files.certificate), options: .atomic)
      let error = #expect(throws: CollectorError.self) { try identity.reload() }
      #expect(
        error?.message == "The key in \(files.key) does not belong to the first certificate in \(files.certificate).")
      #expect(identity.context === first)
      #expect(try !identity.reload(), "the same mistake is reported once")
      try Data(SampleCertificates.twoKey.utf8).write(to: URL(filePath: files.key), options: .atomic)
      #expect(try identity.reload())
      #expect(identity.context !== first)
      #expect(identity.expiry > 4_000_000_000)
    }

    @Test func `a certificate that can't be read for a while is read once it can, although it has not changed since`()
      throws
    {
      let isReadable = Locked(true)
      let identity = try ServerIdentity(files) { path, what in
        guard isReadable.withLock({ $0 }) else { throw CollectorError(.cannotStart, "\(path): busy") }
        return try ServerIdentity.bytes(path, what)
      }
      let first = identity.context
      try Data(SampleCertificates.two.utf8).write(to: URL(filePath: files.certificate), options: .atomic)
      try Data(SampleCertificates.twoKey.utf8).write(to: URL(filePath: files.key), options: .atomic)
      isReadable.withLock { $0 = false }
      #expect(throws: CollectorError.self) { try identity.reload() }
      #expect(try !identity.reload(), "reported once")
      isReadable.withLock { $0 = true }
      #expect(try identity.reload() && identity.context !== first)
      #expect(try !identity.reload())
    }

    @Test func `files that can't be used are errors that name them`() throws {
      let nowhere = directory.appending(path: "none").path
      for (files, message) in [
        (TLSFiles(certificate: nowhere, key: files.key), "The certificate \(nowhere) can't be read: No such file"),
        (
          TLSFiles(certificate: files.certificate, key: nowhere),
          "The private key \(nowhere) can't be read: No such file"
        ),
        (TLSFiles(certificate: files.key, key: files.key), "\(files.key) contains no certificate in PEM format."),
        (
          TLSFiles(certificate: files.certificate, key: files.certificate),
          "\(files.certificate) contains no private key in PEM format without a passphrase."
        ),
      ] {
        let error = #expect(throws: CollectorError.self) { try ServerIdentity(files) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
      }
    }
  }
#endif
