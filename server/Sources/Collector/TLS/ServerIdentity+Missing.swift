#if !TLS
  import NIOCore

  /// A server's certificate and key in a build without TLS: no value exists.
  enum ServerIdentity: Sendable {
    init(_ files: TLSFiles) throws {
      throw CollectorError(
        code: .cannotStart,
        message: "This tern was built without TLS, so it can't use \(files.certificate). Build it without "
          + "--disable-default-traits, or install the package or tarball (docs/operations.md).")
    }

    var expiry: Int { switch self {} }

    func reload() throws -> Bool { switch self {} }

    func addEncryption(to pipeline: ChannelPipeline.SynchronousOperations) throws { switch self {} }

    func firstPosition(
      in pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> ChannelPipeline.SynchronousOperations.Position { switch self {} }
  }
#endif
