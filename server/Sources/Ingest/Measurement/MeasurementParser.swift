public import TernEvents

/// The hits of one request that belong to one tracking id.
public struct MeasurementBatch: Sendable {
  /// The tracking id, such as `UA-1234-5`; empty when the hits named none.
  public var trackingID: String
  /// The hits to store, and what was refused.
  public var batch: IncomingBatch
}

/// Reads requests of the Measurement Protocol, version 1 (docs/protocols.md).
///
/// Nothing is ever an error: the protocol answers success to everything it received, and what cannot be stored is
/// refused hit by hit. Sessions are the warehouse's to cut (30 minutes without a hit): hits have session 0, and only
/// `sc=start` says that one begins.
public enum MeasurementParser {
  /// The longest hit, in bytes.
  static let maximumHitBytes = 8192
  /// The most hits in one batch.
  static let maximumHits = 20
  /// The most apps that the hits of one request are booked to, since each costs a look-up; further refusals count as
  /// those of hits without a tracking id.
  static let maximumTrackingIDs = 40

  /// Reads one hit: the body of `POST /collect`, or the query of `GET /collect`.
  ///
  /// - Parameters:
  ///   - payload: the hit; only read during the call.
  ///   - userAgent: the request's header, used when the hit has no `ua`.
  ///   - received: when the request had been read; a hit's time is this less its queue time.
  ///   - key: the server's secret for duplicate keys.
  ///   - limits: the bounds to hold.
  public static func collect(
    _ payload: UnsafeRawBufferPointer, userAgent: String? = nil, received: Timestamp, key: DuplicateHashKey,
    limits: IngestLimits = .measurement
  ) -> [MeasurementBatch] {
    var reading = MeasurementReading(userAgent: userAgent, received: received, key: key, limits: limits)
    reading.add(payload, index: 0)
    return reading.batches
  }

  /// Reads the body of `POST /batch`: one hit a line, at most 20. Takes the same parameters as `collect`.
  public static func batch(
    _ body: UnsafeRawBufferPointer, userAgent: String? = nil, received: Timestamp, key: DuplicateHashKey,
    limits: IngestLimits = .measurement
  ) -> [MeasurementBatch] {
    var reading = MeasurementReading(userAgent: userAgent, received: received, key: key, limits: limits)
    var index = 0
    var start = 0
    // What lies beyond the limit of events is not even refused one by one: a body of line feeds costs nothing.
    while start < body.count, index < limits.maximumEvents {
      let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
      let line = trimmed(UnsafeRawBufferPointer(rebasing: body[start..<end]))
      if !line.isEmpty {
        if index < maximumHits {
          reading.add(line, index: index)
        } else {
          reading.refuseUnread(line, .tooManyHits, index: index)
        }
        index += 1
      }
      start = end + 1
    }
    return reading.batches
  }

  /// Reads one hit.
  public static func collect(
    _ payload: String, userAgent: String? = nil, received: Timestamp, key: DuplicateHashKey,
    limits: IngestLimits = .measurement
  ) -> [MeasurementBatch] {
    Array(payload.utf8).withUnsafeBytes {
      collect($0, userAgent: userAgent, received: received, key: key, limits: limits)
    }
  }

  static func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    guard let first = line.firstIndex(where: { !isSpace($0) }), let last = line.lastIndex(where: { !isSpace($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: line[first...last])
  }
}
