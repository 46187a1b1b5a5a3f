/// The limits on requests. Anything from a client may be hostile.
package struct IngestLimits: Sendable, Hashable {
  /// The maximum size of a body as sent, in bytes.
  package var maximumBodyBytes: Int
  /// The maximum size of a body after decompression, in bytes.
  package var maximumDecompressedBytes: Int
  /// The maximum compression ratio; a higher one indicates a decompression bomb.
  package var maximumRatio: Int
  /// The maximum number of events or logs per request.
  package var maximumEvents: Int
  /// The maximum length of a name, in UTF-8 bytes; longer names are truncated at a character boundary.
  package var maximumNameBytes: Int
  /// The maximum length of a text value, in UTF-8 bytes; longer values are truncated at a character boundary.
  package var maximumValueBytes: Int
  /// The maximum number of properties per event; further ones are dropped.
  package var maximumProperties: Int
  /// The maximum age of an event on arrival.
  package var maximumAge: Duration
  /// The maximum time by which an event may lie in the future on arrival.
  package var maximumLead: Duration

  /// Creates limits. The defaults are 4 MiB as sent and decompressed, a ratio of 200 (real batches, which repeat a
  /// device block per event, reach about 40), 2,000 events, 768-byte names, 8 KiB values, 100 properties, 400 days back
  /// and 3 days ahead.
  package init(
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
  package static let native = IngestLimits()
  /// The limits of App Center: 25 days back, 3 days ahead, and attachments of 7 MiB, which base64 makes a third longer.
  ///
  /// An attachment may consist entirely of zeros, and rejecting a body would cost a stock client its queue. The ratio
  /// is therefore the maximum of the compression format, and only the size limits a body.
  package static let appCenter = IngestLimits(
    maximumBodyBytes: 16 << 20, maximumDecompressedBytes: 16 << 20, maximumRatio: 1_100,
    maximumAge: .seconds(25 * 86_400))
  /// The limits of the Measurement Protocol.
  package static let measurement = IngestLimits(maximumBodyBytes: 1 << 20, maximumDecompressedBytes: 1 << 20)
}
