import CTernZlib

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Inflates one body with zlib into a buffer that grows up to a limit.
final class Inflation {
  private let input: UnsafeRawBufferPointer
  private let isGzip: Bool
  private let limit: Int
  /// On the heap, because zlib stores the address and rejects a stream that has moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer: UnsafeMutableRawPointer?
  private var capacity = 0
  private var count = 0
  private let maximumRatio: Int

  init(_ input: UnsafeRawBufferPointer, isGzip: Bool, limits: IngestLimits) {
    self.input = input
    self.isGzip = isGzip
    limit = limits.maximumDecompressedBytes
    maximumRatio = limits.maximumRatio
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    // Harmless for a stream that was never initialized.
    inflateEnd(stream)
    stream.deallocate()
    free(buffer)
  }

  /// The output so far; valid for the lifetime of this object.
  var output: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: buffer, count: count) }

  func run() throws(IngestError) {
    guard let start = input.baseAddress, !input.isEmpty else { throw Self.cutShort }
    let status = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw .outOfMemory }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(clamping: input.count)
    try reserve(min(expectedBytes, limit + 1))
    while try !step() {}
  }

  /// Inflates until the buffer is full or the input ends; returns true at the end of the data.
  private func step() throws(IngestError) -> Bool {
    if count == capacity { try grow() }
    stream.pointee.next_out = buffer?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(clamping: capacity - count)
    let room = stream.pointee.avail_out
    let status = inflate(stream, Z_NO_FLUSH)
    count += Int(room - stream.pointee.avail_out)
    guard count <= limit else { throw BodyDecoder.tooLarge(limit) }
    if status == Z_STREAM_END { return try endMember() }
    guard status == Z_OK || status == Z_BUF_ERROR else { throw Self.damaged }
    // There is room left, no end mark and no damage, so zlib is waiting for input that is missing.
    guard stream.pointee.avail_out == 0 else { throw Self.cutShort }
    return false
  }

  /// Handles the end of a member. A gzip body may have several members in a row. Bytes after the last one are ignored,
  /// as gzip and zlib's own readers do, because some clients send the whole buffer that they compressed into. After
  /// data without a checksum, extra bytes count as damage.
  private func endMember() throws(IngestError) -> Bool {
    guard stream.pointee.avail_in > 0 else { return true }
    if isGzip, stream.pointee.avail_in >= 2, stream.pointee.next_in[0] == 0x1F, stream.pointee.next_in[1] == 0x8B {
      guard inflateReset(stream) == Z_OK else { throw Self.damaged }
      return false
    }
    guard windowBits > 0 else { throw Self.damaged }
    return true
  }

  private func grow() throws(IngestError) {
    guard capacity <= limit else { throw BodyDecoder.tooLarge(limit) }
    let consumed = input.count - Int(stream.pointee.avail_in)
    guard count <= max(BodyDecoder.ratioFreeBytes, consumed * maximumRatio) else {
      throw IngestError(.tooLarge, "The compressed body unpacks to more than \(maximumRatio) times its size.")
    }
    try reserve(min(capacity * 2, limit + 1))
  }

  private func reserve(_ bytes: Int) throws(IngestError) {
    guard let grown = realloc(buffer, bytes) else { throw .outOfMemory }
    buffer = grown
    capacity = bytes
  }

  /// An initial size that usually fits. The length in a gzip trailer serves only as a hint.
  private var expectedBytes: Int {
    max(min(input.count * 8, 512 << 10), 4096)
  }

  /// 15 bits of window. Adding 16 selects the gzip wrapper; a negative number selects none, which some clients mean by
  /// `deflate`.
  private var windowBits: Int32 {
    if isGzip { return 15 + 16 }
    let hasWrapper = input.count >= 2 && input[0] & 0x0F == 8 && (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
    return hasWrapper ? 15 : -15
  }

  private static let damaged = IngestError(.undecodable, "The compressed body is damaged; send it again.")

  private static let cutShort = IngestError(
    .incomplete, "The compressed body ends early. Nothing of it was stored; send it again.")
}
