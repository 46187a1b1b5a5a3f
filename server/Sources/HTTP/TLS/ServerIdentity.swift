#if TLS
  import Foundation
  import TernBase
  import NIOCore
  import NIOSSL

  /// A server's certificate and key, read again when their files change.
  final class ServerIdentity: TLSIdentity {
    private struct State {
      var context: NIOSSLContext
      var expiry: Int
      /// The versions of the files that are in use.
      var versions: [FileVersion?]
      /// The versions that could not be used, and the reason, which is reported once.
      var failure: (versions: [FileVersion?], message: String)?
    }

    private let files: TLSFiles
    private let readFile: @Sendable (_ path: String, _ what: String) throws -> [UInt8]
    private let state: Locked<State>

    /// Reads the files; throws ``CollectorError`` if they can't be used.
    ///
    /// - Parameter read: Reads a file.
    init(
      _ files: TLSFiles, read: @escaping @Sendable (_ path: String, _ what: String) throws -> [UInt8] = bytes
    ) throws {
      self.files = files
      readFile = read
      // Before the files are read: a change in between leads to another reading, not to a missed one.
      let versions = Self.versions(files)
      let (context, expiry) = try Self.load(files, read)
      state = Locked(State(context: context, expiry: expiry, versions: versions))
    }

    /// The certificate and key for the next connection.
    var context: NIOSSLContext { state.withLock(\.context) }

    func addTLSHandler(to pipeline: ChannelPipeline.SynchronousOperations) throws {
      try pipeline.addHandler(NIOSSLServerHandler(context: context))
    }

    func positionBehindTLS(
      in pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> ChannelPipeline.SynchronousOperations.Position {
      .after(try pipeline.handler(type: NIOSSLServerHandler.self))
    }

    var expiry: Int { state.withLock(\.expiry) }

    func reload() throws -> Bool {
      let versions = Self.versions(files)
      guard state.withLock({ $0.versions != versions }) else { return false }
      do {
        let (context, expiry) = try Self.load(files, readFile)
        state.withLock { $0 = State(context: context, expiry: expiry, versions: versions) }
        return true
      } catch {
        let message = "\(error)"
        let isKnown = state.withLock { state in
          defer { state.failure = (versions, message) }
          return state.failure.map { $0.versions == versions && $0.message == message } ?? false
        }
        if isKnown { return false }
        throw error
      }
    }

    private static func versions(_ files: TLSFiles) -> [FileVersion?] {
      [FileVersion(path: files.certificate), FileVersion(path: files.key)]
    }

    private static func load(
      _ files: TLSFiles, _ read: (_ path: String, _ what: String) throws -> [UInt8]
    ) throws -> (NIOSSLContext, expiry: Int) {
      let certificates: [NIOSSLCertificate]
      let key: NIOSSLPrivateKey
      let (certificateBytes, keyBytes) = try (
        read(files.certificate, "certificate"), read(files.key, "private key")
      )
      do { certificates = try NIOSSLCertificate.fromPEMBytes(certificateBytes) } catch {
        throw failure("\(files.certificate) contains no certificate in PEM format.", error)
      }
      do { key = try NIOSSLPrivateKey(bytes: keyBytes, format: .pem) } catch {
        throw failure("\(files.key) contains no private key in PEM format without a passphrase.", error)
      }
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      // For TLS 1.2, only suites with forward secrecy and authenticated encryption.
      configuration.cipherSuiteValues = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
      ]
      configuration.applicationProtocols = ["http/1.1"]
      do {
        return (try NIOSSLContext(configuration: configuration), Int(certificates.first?.notValidAfter ?? 0))
      } catch {
        throw failure(
          "The key in \(files.key) does not belong to the first certificate in \(files.certificate).", error)
      }
    }

    @Sendable
    static func bytes(_ path: String, _ what: String) throws -> [UInt8] {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw failure("The \(what) \(path) can't be read: \(String(cString: strerror(errno))).", nil)
      }
      defer { close(descriptor) }
      // Far more than any chain of certificates.
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var length = 0
      while length < buffer.count {
        let count = buffer.withUnsafeMutableBytes {
          read(descriptor, $0.baseAddress.map { $0 + length }, $0.count - length)
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else {
          throw failure("The \(what) \(path) can't be read: \(String(cString: strerror(errno))).", nil)
        }
        if count == 0 { break }
        length += count
      }
      return Array(buffer.prefix(length))
    }

    private static func failure(_ message: String, _ cause: (any Error)?) -> CollectorError {
      CollectorError(.cannotStart, message, cause: cause)
    }
  }

  /// The version of a file, which changes with its contents.
  private struct FileVersion: Equatable {
    let device: Int?
    let inode: Int?
    let size: Int?
    let modified: Date?

    /// The version of a file, or `nil` if it is missing. Links, such as those of certbot, stand for what they lead to.
    init?(path: String) {
      let file = URL(filePath: path).resolvingSymlinksInPath().path
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else { return nil }
      device = attributes[.systemNumber] as? Int
      inode = attributes[.systemFileNumber] as? Int
      size = attributes[.size] as? Int
      modified = attributes[.modificationDate] as? Date
    }
  }
#endif
