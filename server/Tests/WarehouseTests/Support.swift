import Foundation
import GRDB
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// A temporary directory that is deleted with this object.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/tern-warehouse-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns a copy of the directory as a crash at this moment would leave it.
  func copy() throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
    }
    return copy
  }
}

func milliseconds(_ text: String) -> Int64 {
  let date = try? Date(text, strategy: .iso8601)
  return Int64((date?.timeIntervalSince1970 ?? 0) * 1_000)
}

func timestamp(_ text: String) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds(text)) }

func day(_ text: String) -> Day { Day(text) ?? Day(number: 0) }

let phone = IncomingDevice(
  osName: "iOS", osVersion: "17.4.1", model: "iPhone15,2", locale: "pt_BR", country: "BR", timeZoneOffsetMinutes: -180,
  appVersion: "1.2", appBuild: "34", sdkName: "tern-swift", sdkVersion: "0.1.0")

func key(_ number: Int64, at time: Timestamp) -> DuplicateKey {
  DuplicateKey(milliseconds: time.millisecondsSince1970, hash: number &* 0x5851_F42D_4C95_7F2D)
}

/// Returns a batch of events of one install with these names, one second apart.
func batch(
  _ names: [String], at start: String = "2026-05-04T10:00:00Z", install: String = "install-1",
  device: IncomingDevice = phone, firstKey: Int64? = nil, kind: StoredKind = .event,
  properties: [Properties.Element] = []
) -> IncomingBatch {
  let start = timestamp(start)
  return IncomingBatch(
    source: .native, received: start + .seconds(60), installs: [install], devices: [device],
    events: names.enumerated().map { index, name in
      let time = start + .seconds(index)
      return IncomingEvent(
        index: index, kind: kind, duplicateKey: firstKey.map { key($0 + Int64(index), at: time) }, time: time,
        startsSession: kind == .sessionStart, name: name, properties: properties)
    })
}

/// Runs `body` on the writing connection of a pool, outside any transaction.
func withConnection<Value>(_ pool: DatabasePool, _ body: (SQLConnection) throws -> Value) throws -> Value {
  try pool.writeWithoutTransaction { try body(SQLConnection($0)) }
}
