package import TernEvents

/// The hits of one request for one tracking ID.
package struct MeasurementBatch: Sendable {
  /// The tracking ID, such as `UA-1234-5`; empty if the hits have none.
  package var trackingID: String
  /// The hits to store, and the rejections.
  package var batch: IncomingBatch
}

/// Parses requests of the Measurement Protocol, version 1 (docs/protocols.md).
///
/// Parsing never fails: the protocol answers success to everything it receives, and rejects hits one by one. The
/// warehouse divides hits into sessions (after 30 minutes without a hit); here, hits have session 0, and only
/// `sc=start` starts a session.
package enum MeasurementParser {
  /// The maximum length of a hit, in bytes.
  static let maximumHitBytes = 8192
  /// The maximum number of hits per batch.
  static let maximumHits = 20
  /// The maximum number of apps per request for which rejections are counted, because each costs a look-up. Further
  /// rejections count as those of hits without a tracking ID.
  static let maximumTrackingIDs = 40

  /// Parses one hit: the body of `POST /collect`, or the query of `GET /collect`.
  ///
  /// - Parameters:
  ///   - payload: The hit; only read during the call.
  ///   - userAgent: The request's header, used if the hit has no `ua`.
  ///   - received: The time at which the request had been read; a hit's time is this less its queue time.
  ///   - key: The server's secret for duplicate keys.
  ///   - limits: The limits of the request.
  package static func collect(
    _ payload: UnsafeRawBufferPointer, userAgent: String? = nil, received: Timestamp, key: DuplicateHashKey,
    limits: IngestLimits = .measurement
  ) -> [MeasurementBatch] {
    var reading = MeasurementReading(userAgent: userAgent, received: received, key: key, limits: limits)
    reading.add(payload, index: 0)
    return reading.batches
  }

  /// Parses the body of `POST /batch`: one hit per line, at most 20. The parameters are those of `collect`.
  package static func batch(
    _ body: UnsafeRawBufferPointer, userAgent: String? = nil, received: Timestamp, key: DuplicateHashKey,
    limits: IngestLimits = .measurement
  ) -> [MeasurementBatch] {
    var reading = MeasurementReading(userAgent: userAgent, received: received, key: key, limits: limits)
    var index = 0
    var start = 0
    // Lines beyond the limit of events are not even rejected one by one: a body of line feeds costs nothing.
    while start < body.count, index < limits.maximumEvents {
      let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
      let line = trimmed(UnsafeRawBufferPointer(rebasing: body[start..<end]))
      if !line.isEmpty {
        if index < maximumHits {
          reading.add(line, index: index)
        } else {
          reading.rejectUnparsed(line, .tooManyHits, index: index)
        }
        index += 1
      }
      start = end + 1
    }
    return reading.batches
  }

  /// Parses one hit.
  package static func collect(
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
