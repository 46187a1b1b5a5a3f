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

    func key(_ row: ImportedRow, _ line: UnsafeRawBufferPointer) -> DuplicateKey {
      // A row without a key gets one from its text, so that importing it twice doesn't count it twice.
      let hash = row.key.map { UInt64(bitPattern: $0.hash) } ?? UInt64(bitPattern: Int64(ByteCheck.hash(line) >> 1))
      return DuplicateKey(
        milliseconds: row.key?.milliseconds ?? row.time, hash: Int64(bitPattern: salt.map { mixed(hash, $0) } ?? hash))
    }
  }

  let keys: Keys
  private(set) var batches: [IncomingBatch] = []
  private var installs: [ExactText: Int] = [:]
  private var devices: [IncomingDevice: Int] = [:]
  /// The device of the last row.
  private var device: ImportedRow.Device?

  init(keys: Keys) { self.keys = keys }

  /// Adds a row.
  ///
  /// - Parameter line: The text of the row.
  mutating func add(_ row: ImportedRow, _ line: UnsafeRawBufferPointer) {
    let source: IngestProtocol = row.isMeasurement ? .measurement : .native
    let received = TimeBounds.clamp(row.received)
    if batches.last?.source != source || batches.last?.received.millisecondsSince1970 != received {
      batches.append(IncomingBatch(source: source, received: Timestamp(millisecondsSince1970: received)))
      installs.removeAll(keepingCapacity: true)
      devices.removeAll(keepingCapacity: true)
      device = nil
    }
    let last = batches.count - 1
    let position = batches[last].events.count
    let event = IncomingEvent(
      index: position, kind: row.kind, duplicateKey: keys.key(row, line),
      time: Timestamp(millisecondsSince1970: row.time), microseconds: row.microseconds,
      install: index(ofInstall: row.install, in: last), device: index(of: row.device, in: last), session: row.session,
      startsSession: row.startsSession, user: row.user, name: row.name, properties: row.properties)
    // Not `append(_:)`, which would move future times: an export of the import has to be the same.
    batches[last].events.append(event)
    if let parameters = row.parameters {
      batches[last].hits.append(IncomingHit(event: position, parameters: parameters))
    }
    if var error = row.error {
      error.event = position
      batches[last].errors.append(error)
    }
  }

  private mutating func index(ofInstall install: String, in batch: Int) -> Int {
    let name = ExactText(install)
    if let last = batches[batch].events.last?.install, ExactText(batches[batch].installs[last]) == name { return last }
    if let index = installs[name] { return index }
    let index = batches[batch].installs.count
    batches[batch].installs.append(install)
    installs[name] = index
    return index
  }

  private mutating func index(of device: ImportedRow.Device, in batch: Int) -> Int {
    defer { self.device = device }
    if device === self.device, let last = batches[batch].events.last?.device { return last }
    if let index = devices[device.value] { return index }
    let index = batches[batch].devices.count
    batches[batch].devices.append(device.value)
    devices[device.value] = index
    return index
  }
}
