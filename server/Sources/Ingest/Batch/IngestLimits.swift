/// The bounds of every request, since anything from a client may be hostile.
public struct IngestLimits: Sendable, Hashable {
  /// Largest body as sent, in bytes.
  public var maximumBodyBytes: Int
  /// Largest body after decompression, in bytes.
  public var maximumDecompressedBytes: Int
  /// The largest ratio of a decompressed body to the sent one; a higher ratio counts as a bomb.
  public var maximumRatio: Int
  /// Most events or logs in one request.
  public var maximumEvents: Int
  /// Longest name, in UTF-8 bytes; longer ones are cut at a character boundary.
  public var maximumNameBytes: Int
  /// Longest text value, in UTF-8 bytes; longer ones are cut at a character boundary.
  public var maximumValueBytes: Int
  /// Most properties of one event; the rest is dropped.
  public var maximumProperties: Int
  /// The highest age of an event when it arrives.
  public var maximumAge: Duration
  /// The furthest that an event may lie in the future when it arrives.
  public var maximumLead: Duration

  /// Creates limits. Defaults: 4 MiB as sent and decompressed, 200 times (real batches, which repeat a device block per
  /// event, reach about forty), 2,000 events, 768-byte names, 8 KiB values,
  /// 100 properties, 400 days back, 3 days ahead.
  public init(
    maximumBodyBytes: Int = 4 << 20, maximumDecompressedBytes: Int = 4 << 20,
    maximumRatio: Int = 200, maximumEvents: Int = 2_000,
    maximumNameBytes: Int = 768, maximumValueBytes: Int = 8 << 10, maximumProperties: Int = 100,
    maximumAge: Duration = .seconds(400 * 86_400), maximumLead: Duration = .seconds(3 * 86_400)
  ) {
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumDecompressedBytes = maximumDecompressedBytes
    self.maximumRatio = min(max(maximumRatio, 1), 1 << 16)
    self.maximumEvents = maximumEvents
    self.maximumNameBytes = maximumNameBytes
    self.maximumValueBytes = maximumValueBytes
    self.maximumProperties = maximumProperties
    self.maximumAge = maximumAge
    self.maximumLead = maximumLead
  }

  /// The limits of the native protocol.
  public static let native = IngestLimits()
  /// The limits of App Center: 25 days back, 3 days ahead, and attachments of 7 MiB, which base 64 makes a third
  /// longer.
  ///
  /// An attachment may be nothing but zeros, and a refused body would cost a stock client its queue: the ratio is that
  /// of the format, and only the size bounds a body.
  public static let appCenter = IngestLimits(
    maximumBodyBytes: 16 << 20, maximumDecompressedBytes: 16 << 20, maximumRatio: 1_100,
    maximumAge: .seconds(25 * 86_400))
  /// The limits of the Measurement Protocol; any queue time is accepted.
  public static let measurement = IngestLimits(maximumBodyBytes: 1 << 20, maximumDecompressedBytes: 1 << 20)
}
