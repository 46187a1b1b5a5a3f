import CTernJSON
package import TernEvents

/// The events of an App Center request, and the data needed for the response.
package struct AppCenterBatch: Sendable {
  /// The events to store.
  package var batch: IncomingBatch
  /// The IDs of the accepted error logs, as sent: `validDiagnosticsIds` in the response.
  package var diagnosticsIDs: [String]
  /// The number of accepted logs without an event to store (`startService`).
  package var withoutEvent: Int
}

/// Reads requests of the App Center ingestion protocol: `{"logs":[…]}` (docs/protocols.md).
package enum AppCenterParser {
  /// Parses a decompressed body.
  ///
  /// Only a body without a list of logs is an error. Logs that cannot be stored are rejected one by one, even those
  /// that are not JSON: a stock client deletes its queue on an error, so one bad log must not cost the others.
  ///
  /// - Parameters:
  ///   - bytes: The body; only read during the call.
  ///   - install: The header `Install-ID`; if it is missing, each log is rejected.
  ///   - received: The time at which the request had been read.
  ///   - key: The server's secret for duplicate keys.
  ///   - app: The app's number; duplicates are detected within an app.
  ///   - limits: The limits of the request.
  /// - Throws: ``IngestError`` with code `malformed` or `tooLarge`; nothing of the body may be stored then.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, install: String?, received: Timestamp, key: DuplicateHashKey, app: Int64,
    limits: IngestLimits = .appCenter
  ) throws(IngestError) -> AppCenterBatch {
    try withRecords(of: bytes, format: .appCenter, limits: limits) { (result) throws(IngestError) in
      var builder = BatchBuilder(
        source: .appCenter, received: received, key: key, app: app, limits: limits, capacity: result.record_count)
      let name = installName(install ?? "")
      let index = name.isEmpty ? nil : builder.install(name)
      var reading = AppCenterReading(builder: builder, result: result, install: index)
      for record in result.recordList { reading.add(record) }
      for fault in result.faultList { reading.addUnreadable(at: Int(fault)) }
      return AppCenterBatch(
        batch: reading.builder.batch, diagnosticsIDs: reading.diagnosticsIDs, withoutEvent: reading.withoutEvent)
    }
  }

  /// Parses a decompressed body.
  package static func parse(
    _ bytes: [UInt8], install: String?, received: Timestamp, key: DuplicateHashKey, app: Int64,
    limits: IngestLimits = .appCenter
  ) throws(IngestError) -> AppCenterBatch {
    try withBytes(of: bytes) { (buffer) throws(IngestError) in
      try parse(buffer, install: install, received: received, key: key, app: app, limits: limits)
    }
  }

  /// Lowercases a UUID, so that an install is the same however a client writes it. Other names stay as they are.
  private static func installName(_ header: String) -> String {
    if let id = UniqueID(header) { return id.description }
    var name = header
    return name.withUTF8 { text(UnsafeRawBufferPointer($0), limit: maximumInstallBytes) }
  }
}
