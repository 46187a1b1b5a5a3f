/// Decodes the `Content-Encoding` of a request body, in bounded memory.
package enum BodyDecoder {
  /// The size in bytes below which the ratio is not limited: a few equal lines compress very well.
  static let ratioFreeBytes = 256 << 10

  /// Decodes a body and passes the bytes to `read`. They are valid only during the call, and are not copied for
  /// identity.
  ///
  /// - Parameters:
  ///   - body: The body as sent.
  ///   - encoding: The header `Content-Encoding`: `gzip`, `deflate` (with or without zlib's wrapper) or `identity`, in
  ///     any case, or `nil`.
  ///   - limits: The limits; `maximumBodyBytes`, `maximumDecompressedBytes` and `maximumRatio` apply.
  ///   - read: Reads the decoded bytes.
  /// - Throws: ``IngestError`` with code `tooLarge` if a body exceeds the limits, `incomplete` if it is truncated, and
  ///   `undecodable` if it is damaged or has an unknown encoding; also any error thrown by `read`.
  package static func withDecoded<Result>(
    _ body: UnsafeRawBufferPointer, encoding: String?, limits: IngestLimits,
    _ read: (UnsafeRawBufferPointer) throws(IngestError) -> Result
  ) throws(IngestError) -> Result {
    let encoding = encoding.map(trimmed) ?? ""
    guard body.count <= limits.maximumBodyBytes else { throw tooLarge(limits.maximumBodyBytes) }
    switch encoding {
    case "", "identity":
      guard body.count <= limits.maximumDecompressedBytes else { throw tooLarge(limits.maximumDecompressedBytes) }
      return try read(body)
    case "gzip", "x-gzip", "deflate":
      let inflation = Inflation(body, isGzip: encoding != "deflate", limits: limits)
      try inflation.run()
      defer { withExtendedLifetime(inflation) {} }
      return try read(inflation.output)
    default:
      throw IngestError(.undecodable, "The Content-Encoding is not supported; send gzip, deflate or identity.")
    }
  }

  /// Decodes a body into an array. See ``withDecoded(_:encoding:limits:_:)``.
  package static func decode(_ body: [UInt8], encoding: String?, limits: IngestLimits) throws(IngestError) -> [UInt8] {
    try withBytes(of: body) { (buffer) throws(IngestError) in
      try withDecoded(buffer, encoding: encoding, limits: limits) { Array($0) }
    }
  }

  static func tooLarge(_ limit: Int) -> IngestError {
    IngestError(.tooLarge, "The body is larger than \(limit) bytes; send fewer events at a time.")
  }

  private static func trimmed(_ header: String) -> String {
    String(header.lowercased().drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
