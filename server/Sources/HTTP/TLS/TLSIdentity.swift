package import NIOCore

/// A server's certificate and key, and the encryption of connections with them.
package protocol TLSIdentity: Sendable {
  /// The end of the certificate's validity, in seconds since 1970.
  var expiry: Int { get }

  /// Reads the files again if they are not those in use. If it throws, the previous ones stay in use, and the next call
  /// tries again: a file may be readable then without having changed.
  ///
  /// - Returns: True if other files are in use now.
  /// - Throws: ``CollectorError``, once for the same reason and the same files.
  func reload() throws -> Bool

  /// Encrypts a new connection.
  func addTLSHandler(to pipeline: ChannelPipeline.SynchronousOperations) throws

  /// Returns the first place of a connection at which bytes are decrypted.
  func positionBehindTLS(
    in pipeline: ChannelPipeline.SynchronousOperations
  ) throws -> ChannelPipeline.SynchronousOperations.Position
}
