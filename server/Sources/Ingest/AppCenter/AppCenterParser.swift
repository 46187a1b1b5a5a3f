import CTernJSON
public import TernEvents

/// The events of an App Center request, and the facts that its answer needs.
public struct AppCenterBatch: Sendable {
  /// The events to store.
  public var batch: IncomingBatch
  /// The ids of the accepted error logs, as they were sent: `validDiagnosticsIds` of the answer.
  public var diagnosticsIDs: [String]
  /// The number of accepted logs that have nothing to store (`startService`).
  public var withoutEvent: Int
}

/// Reads requests of the App Center ingestion protocol: `{"logs":[…]}` (docs/protocols.md).
public enum AppCenterParser {
  /// Reads a decompressed body.
  ///
  /// Only a body without a list of logs is an error. Logs that cannot be stored are rejected one by one, even those
  /// that are not JSON: a stock client erases its queue on an error, so one bad log must not cost the others.
  ///
  /// - Parameters:
  ///   - bytes: the body; only read during the call.
  ///   - install: the header `Install-ID`; without one each log is refused.
  ///   - received: when the request had been read.
  ///   - key: the server's secret for duplicate keys.
  ///   - app: the app's number; duplicates are recognised within an app.
  ///   - limits: the bounds to hold.
  /// - Throws: ``IngestError`` with code `malformed` or `tooLarge`; nothing of the body may be stored then.
  public static func parse(
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

  /// Reads a decompressed body.
  public static func parse(
    _ bytes: [UInt8], install: String?, received: Timestamp, key: DuplicateHashKey, app: Int64,
    limits: IngestLimits = .appCenter
  ) throws(IngestError) -> AppCenterBatch {
    try withBytes(of: bytes) { (buffer) throws(IngestError) in
      try parse(buffer, install: install, received: received, key: key, app: app, limits: limits)
    }
  }

  /// A UUID in lower case, so that an install is one however a client writes it; other names stay as they are.
  private static func installName(_ header: String) -> String {
    if let id = UniqueID(header) { return id.description }
    var name = header
    return name.withUTF8 { text(UnsafeRawBufferPointer($0), limit: maximumInstallBytes) }
  }
}
