#if TLS
  import TernBase
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// A client that encrypts, and trusts any certificate.
  enum SecureConnection {
    /// Sends text over a new connection and receives until the server closes.
    ///
    /// - Returns: The response, and the certificate with which the server identified itself.
    static func exchange(
      _ text: String, port: Int, maximumVersion: TLSVersion? = nil
    ) async throws -> (answer: String, certificate: NIOSSLCertificate?) {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.certificateVerification = .noHostnameVerification
      configuration.minimumTLSVersion = .tlsv1
      configuration.maximumTLSVersion = maximumVersion
      let context = try NIOSSLContext(configuration: configuration)
      let certificate = Locked<NIOSSLCertificate?>(nil)
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(
              context: context, serverHostname: nil,
              customVerificationCallback: { chain, promise in
                certificate.withLock { $0 = chain.first }
                promise.succeed(.certificateVerified)
              })
            try channel.pipeline.syncOperations.addHandler(handler)
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      var answer = ByteBuffer()
      try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: text))
        do { for try await part in inbound { answer.writeImmutableBuffer(part) } } catch NIOSSLError.uncleanShutdown {}
      }
      return (String(buffer: answer), certificate.withLock(\.self))
    }
  }
#endif
