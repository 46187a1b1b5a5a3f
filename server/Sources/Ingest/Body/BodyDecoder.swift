/// Undoes the `Content-Encoding` of a request body, in bounded memory.
public enum BodyDecoder {
  /// Below this size in bytes the ratio is not looked at: a few equal lines compress very well.
  static let ratioFreeBytes = 256 << 10

  /// Decodes a body and hands the bytes to `read`, within which alone they are valid. Nothing is copied for identity.
  ///
  /// - Parameters:
  ///   - body: the body as it was sent.
  ///   - encoding: the header `Content-Encoding`: `gzip`, `deflate` (with or without zlib's wrapper), `identity` in any
  ///     case, or `nil`.
  ///   - limits: `maximumBodyBytes` and `maximumDecompressedBytes` hold.
  ///   - read: what to do with the decoded bytes.
  /// - Throws: ``IngestError`` with code `tooLarge` for what is or becomes too large, `incomplete` for bodies that end
  ///   early, `undecodable` for damaged ones and unknown encodings; whatever `read` throws.
  public static func withDecoded<Result>(
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
      throw IngestError(
        code: .undecodable, message: "The Content-Encoding is not supported; send gzip, deflate or identity.")
    }
  }

  /// Decodes a body into bytes of its own. See ``withDecoded(_:encoding:limits:_:)``.
  public static func decode(_ body: [UInt8], encoding: String?, limits: IngestLimits) throws(IngestError) -> [UInt8] {
    try withBytes(of: body) { (buffer) throws(IngestError) in
      try withDecoded(buffer, encoding: encoding, limits: limits) { Array($0) }
    }
  }

  static func tooLarge(_ limit: Int) -> IngestError {
    IngestError(code: .tooLarge, message: "The body is larger than \(limit) bytes; send fewer events at a time.")
  }

  private static func trimmed(_ header: String) -> String {
    String(header.lowercased().drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
