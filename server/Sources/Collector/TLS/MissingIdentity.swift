import NIOCore

#if !TLS
  typealias ServerIdentity = MissingIdentity
#endif

/// The certificate of a server that was built without the trait `TLS`: no value exists.
///
/// It is compiled in every build, so that a build without TLS can't break unnoticed.
enum MissingIdentity: TLSIdentity {
  init(_ files: TLSFiles) throws {
    throw CollectorError(
      code: .cannotStart,
      message: "This tern was built without TLS, so it can't use \(files.certificate). Build it without "
        + "--disable-default-traits, or install the package or tarball (docs/operations.md).")
  }

  var expiry: Int { switch self {} }

  func reload() throws -> Bool { switch self {} }

  func addTLSHandler(to pipeline: ChannelPipeline.SynchronousOperations) throws { switch self {} }

  func positionBehindTLS(
    in pipeline: ChannelPipeline.SynchronousOperations
  ) throws -> ChannelPipeline.SynchronousOperations.Position { switch self {} }
}
