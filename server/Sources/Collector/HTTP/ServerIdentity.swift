import Logging
import NIOConcurrencyHelpers
import NIOSSL
import ServiceLifecycle

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files with which a server identifies itself over TLS, both in PEM format.
public struct TLSFiles: Sendable, Hashable {
  /// The path of the certificate, followed by those of its issuers.
  public var certificate: String
  /// The path of the private key, without a passphrase.
  public var key: String

  /// Names the files.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// A server's certificate and key, read again when their files change.
final class ServerIdentity: Sendable {
  private struct State {
    var context: NIOSSLContext
    var expiry: Int
    /// The versions of the files at the last attempt to read them.
    var versions: [FileVersion?]
  }

  private let files: TLSFiles
  private let state: NIOLockedValueBox<State>

  /// Reads the files; throws ``CollectorError`` if they can't be used.
  init(_ files: TLSFiles) throws {
    self.files = files
    // Before the files are read: a change in between leads to another reading, not to a missed one.
    let versions = Self.versions(files)
    let (context, expiry) = try Self.load(files)
    state = NIOLockedValueBox(State(context: context, expiry: expiry, versions: versions))
  }

  /// The certificate and key for the next connection.
  var context: NIOSSLContext { state.withLockedValue(\.context) }

  /// The end of the certificate's validity, in seconds since 1970.
  var expiry: Int { state.withLockedValue(\.expiry) }

  /// Reads the files again if they have changed since the last attempt. If it throws, the previous ones stay in use.
  ///
  /// - Returns: True if they were read.
  func reload() throws -> Bool {
    let versions = Self.versions(files)
    let isChanged = state.withLockedValue { state in
      defer { state.versions = versions }
      return state.versions != versions
    }
    guard isChanged else { return false }
    let (context, expiry) = try Self.load(files)
    state.withLockedValue { state in
      state.context = context
      state.expiry = expiry
    }
    return true
  }

  private static func versions(_ files: TLSFiles) -> [FileVersion?] {
    [FileVersion(path: files.certificate), FileVersion(path: files.key)]
  }

  private static func load(_ files: TLSFiles) throws -> (NIOSSLContext, expiry: Int) {
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    let (certificateBytes, keyBytes) = try (
      bytes(files.certificate, "certificate"), bytes(files.key, "private key")
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
    configuration.applicationProtocols = ["http/1.1"]
    do {
      return (try NIOSSLContext(configuration: configuration), Int(certificates.first?.notValidAfter ?? 0))
    } catch {
      throw failure("The key in \(files.key) does not belong to the first certificate in \(files.certificate).", error)
    }
  }

  private static func bytes(_ path: String, _ what: String) throws -> [UInt8] {
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
    CollectorError(code: .cannotStart, message: message, cause: cause)
  }
}

/// Looks every few seconds whether the files of an identity have changed.
struct IdentityReloading: Service {
  static let interval = Duration.seconds(10)

  let identity: ServerIdentity
  let sleep: @Sendable (Duration) async throws -> Void
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await sleep(Self.interval)) != nil {
        do {
          if try identity.reload() { logger.info("The TLS certificate has changed; new connections use it") }
        } catch {
          logger.error("The TLS certificate has changed, but the previous one stays in use: \(error)")
        }
      }
    }
  }
}

/// The version of a file, which changes with its contents.
private struct FileVersion: Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let seconds: Int
  let nanoseconds: Int

  /// The version of a file, or `nil` if it is missing.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    (seconds, nanoseconds) = (modified.tv_sec, modified.tv_nsec)
  }
}
