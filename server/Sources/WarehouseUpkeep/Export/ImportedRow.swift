import Foundation
import Ingest
import ServerBase
import TernEvents
import Warehouse

/// A row of an export.
struct ImportedRow: Sendable {
  /// A device that several rows may share. Those that do so have equal ones, but not the other way round.
  final class Device: Sendable {
    let value: IncomingDevice
    init(_ value: IncomingDevice) { self.value = value }
  }

  var kind = StoredKind.event
  var name = ""
  var time: Int64 = 0
  var received: Int64 = 0
  var microseconds: Int?
  var install = ""
  var session: Int64 = 0
  var startsSession = false
  var isMeasurement = false
  var user = ""
  /// The key as written in the export.
  var key: DuplicateKey?
  var device: Device
  var properties: [Properties.Element] = []
  var parameters: [HitParameter]?
  /// Its error; the position of its event is set later.
  var error: IncomingError?
}

extension ImportedRow {
  /// Creates the row of a line.
  ///
  /// - Throws: ``ImportFailure`` if it can't be imported.
  init(_ line: ImportedLine) throws {
    guard let kind = StoredKind.allCases.first(where: { $0.name == line.kind }), let name = line.name,
      let time = line.time, let received = line.received, let install = line.install
    else { throw ImportFailure("A row needs kind, name, time, received and install.") }
    self.init(
      kind: kind, name: name, time: time, received: received, install: install,
      device: Device(line.device?.incoming ?? IncomingDevice()))
    key = try line.key.map { key in
      guard let hash = ImportedLine.number(key.hash) else { throw ImportFailure("The hash of its key is invalid.") }
      return DuplicateKey(milliseconds: key.time, hash: hash)
    }
    if let session = line.session {
      guard let number = ImportedLine.number(session) else { throw ImportFailure("Its session is invalid.") }
      self.session = number
    }
    if let microseconds = line.microseconds {
      guard (0...999).contains(microseconds) else { throw ImportFailure("Its microseconds aren't 0 to 999.") }
      self.microseconds = microseconds
    }
    startsSession = line.startsSession ?? false
    isMeasurement = line.measurement ?? false
    user = line.user ?? ""
    properties = try (line.properties ?? []).map { property in
      guard let value = property.value else { throw ImportFailure("A property has no value.") }
      return Properties.Element(name: property.name, value: value)
    }
    parameters = try line.parameters?.map { pair in
      guard pair.count == 2 else { throw ImportFailure("A parameter is not a pair.") }
      return HitParameter(name: pair[0], value: pair[1])
    }
    error = try line.error.map { try Self.error($0, kind, device.value) }
  }

  private static func error(
    _ error: ImportedLine.ErrorDetails, _ kind: StoredKind, _ device: IncomingDevice
  ) throws -> IncomingError {
    guard let fingerprint = ImportedLine.number(error.fingerprint) else {
      throw ImportFailure("The fingerprint of its error is invalid.")
    }
    var incoming = IncomingError(
      event: 0, id: error.id, type: error.type, message: error.message, place: error.place, stack: error.stack ?? "",
      fingerprint: fingerprint, raw: try bytes(error.raw ?? ""))
    incoming.isTextRemoved = error.isTextRemoved ?? false
    incoming.restoreSignature(kind: kind, device: device)
    return incoming
  }

  /// Returns the bytes of base64.
  static func bytes(_ base64: String) throws -> [UInt8] {
    guard let data = Data(base64Encoded: base64) else { throw ImportFailure("Its base64 is invalid.") }
    return [UInt8](data)
  }
}

/// The reason that a line can't be imported.
struct ImportFailure: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
