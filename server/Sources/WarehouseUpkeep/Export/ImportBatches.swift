import Foundation
import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse

/// Makes batches of imported rows as clients had sent them: rows that follow each other and were received together.
struct ImportBatches {
  /// The mapping of duplicate keys of another server's app, which must not look like keys of this one's.
  struct Keys {
    /// `nil` if the rows were exported from the same app of this server.
    var salt: UInt64?

    init(header: ImportedLine, app: App, server: String) {
      guard header.server != server || header.app != app.id.rawValue else { return }
      let text = "\(header.server ?? "") \(header.app ?? 0) \(app.id)"
      salt = withUTF8(text) { ByteCheck.hash($0) }
    }

    func key(_ line: ImportedLine, _ text: UnsafeRawBufferPointer) throws -> DuplicateKey {
      // A row without a key gets one from its text, so that importing it twice doesn't count it twice.
      var hash = UInt64(bitPattern: Int64(ByteCheck.hash(text) >> 1))
      if let key = line.key {
        guard let number = ImportedLine.number(key.hash) else { throw ImportFailure("The hash of its key is invalid.") }
        hash = UInt64(bitPattern: number)
      }
      return DuplicateKey(
        milliseconds: line.key?.time ?? line.time ?? 0, hash: Int64(bitPattern: salt.map { mixed(hash, $0) } ?? hash))
    }
  }

  let keys: Keys
  private(set) var batches: [IncomingBatch] = []
  private var installs: [ExactText: Int] = [:]
  private var devices: [IncomingDevice: Int] = [:]

  init(keys: Keys) { self.keys = keys }

  /// Adds a row.
  ///
  /// - Parameter text: The line.
  mutating func add(_ line: ImportedLine, _ text: UnsafeRawBufferPointer) throws {
    guard let kind = StoredKind.allCases.first(where: { $0.name == line.kind }), let name = line.name,
      let time = line.time, let received = line.received.map(TimeBounds.clamp), let install = line.install
    else { throw ImportFailure("A row needs kind, name, time, received and install.") }
    let source: IngestProtocol = line.measurement == true ? .measurement : .native
    if batches.last?.source != source || batches.last?.received.millisecondsSince1970 != received {
      batches.append(IncomingBatch(source: source, received: Timestamp(millisecondsSince1970: received)))
      installs = [:]
      devices = [:]
    }
    let last = batches.count - 1
    let device = line.device?.incoming ?? IncomingDevice()
    let position = batches[last].events.count
    var event = IncomingEvent(
      index: position, kind: kind, duplicateKey: try keys.key(line, text),
      time: Timestamp(millisecondsSince1970: time), name: name)
    event.install = installs[ExactText(install)] ?? batches[last].installs.count
    if event.install == batches[last].installs.count {
      installs[ExactText(install)] = event.install
      batches[last].installs.append(install)
    }
    event.device = devices[device] ?? batches[last].devices.count
    if event.device == batches[last].devices.count {
      devices[device] = event.device
      batches[last].devices.append(device)
    }
    if let session = line.session {
      guard let number = ImportedLine.number(session) else { throw ImportFailure("Its session is invalid.") }
      event.session = number
    }
    if let microseconds = line.microseconds {
      guard (0...999).contains(microseconds) else { throw ImportFailure("Its microseconds aren't 0 to 999.") }
      event.microseconds = microseconds
    }
    event.startsSession = line.startsSession ?? false
    event.user = line.user ?? ""
    event.properties = try (line.properties ?? []).map { property in
      guard let value = property.value else { throw ImportFailure("A property has no value.") }
      return Properties.Element(name: property.name, value: value)
    }
    // Not `append(_:)`, which would move future times: an export of the import has to be the same.
    batches[last].events.append(event)
    if let parameters = line.parameters {
      guard parameters.allSatisfy({ $0.count == 2 }) else { throw ImportFailure("A parameter is not a pair.") }
      batches[last].hits.append(
        IncomingHit(event: position, parameters: parameters.map { HitParameter(name: $0[0], value: $0[1]) }))
    }
    if let error = line.error { batches[last].errors.append(try Self.error(error, event.kind, device, position)) }
  }

  private static func error(
    _ error: ImportedLine.ErrorDetails, _ kind: StoredKind, _ device: IncomingDevice, _ event: Int
  ) throws -> IncomingError {
    guard let fingerprint = ImportedLine.number(error.fingerprint) else {
      throw ImportFailure("The fingerprint of its error is invalid.")
    }
    var incoming = IncomingError(
      event: event, id: error.id, type: error.type, message: error.message, place: error.place,
      stack: error.stack ?? "", fingerprint: fingerprint, raw: try bytes(error.raw ?? ""))
    incoming.isTextRemoved = error.isTextRemoved ?? false
    incoming.restoreSignature(kind: kind, device: device)
    return incoming
  }

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
