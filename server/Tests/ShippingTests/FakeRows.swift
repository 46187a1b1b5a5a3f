import Foundation
import Ingest
import TernBase
import Warehouse

/// The rows of a home in memory, in segments that can be written anew.
final class FakeRows: RowSource {
  private struct State {
    var stretches: [RowStretch] = []
    var rows: [Int64: StoredRow] = [:]
    var segment: Int64 = 1
    var unreadable: [ClosedRange<Int64>] = []
  }

  /// The beginning of the names of all installs, which no other rows have.
  let installs = UUID().uuidString
  private let state = Locked(State())

  /// Adds rows with IDs up to one, in a segment that goes on or in another one.
  func add(through last: Int64, inNewSegment isNew: Bool = false, bytesOfTexts: Int = 0) {
    state.withLock { state in
      let first = (state.stretches.last?.ids.upperBound ?? 0) + 1
      for id in first...last {
        state.rows[id] = Self.row(id, text: String(repeating: "x", count: bytesOfTexts), installs: installs)
      }
      if !isNew, let open = state.stretches.popLast() {
        state.stretches.append(RowStretch(segment: open.segment, ids: open.ids.lowerBound...last))
      } else {
        state.segment += 1
        state.stretches.append(RowStretch(segment: state.segment, ids: first...last))
      }
    }
  }

  /// Writes the segments with some rows anew without them.
  func delete(_ isMeant: (StoredRow) -> Bool) {
    state.withLock { state in
      for (index, stretch) in state.stretches.enumerated() {
        let doomed = stretch.ids.filter { state.rows[$0].map(isMeant) ?? false }
        guard !doomed.isEmpty else { continue }
        for id in doomed { state.rows[id] = nil }
        state.segment += 1
        state.stretches[index] = RowStretch(segment: state.segment, ids: stretch.ids)
      }
    }
  }

  /// Writes all segments anew, unchanged.
  func rewrite() {
    state.withLock { state in
      for (index, stretch) in state.stretches.enumerated() {
        state.segment += 1
        state.stretches[index] = RowStretch(segment: state.segment, ids: stretch.ids)
      }
    }
  }

  /// Makes rows unreadable; none to have all read again.
  func setUnreadable(_ ids: [ClosedRange<Int64>]) { state.withLock { $0.unreadable = ids } }

  var rows: [StoredRow] { state.withLock { $0.rows.values.sorted { $0.id < $1.id } } }

  func stretches(after id: Int64) async throws -> [RowStretch] {
    state.withLock { $0.stretches.filter { $0.ids.upperBound > id } }
  }

  func rows<Result: Sendable>(
    _ ids: ClosedRange<Int64>, into initial: Result,
    _ add: @escaping @Sendable (inout Result, StoredRow) throws -> Bool
  ) async throws -> Result {
    let rows = rows.filter { ids.contains($0.id) }
    let unreadable = state.withLock { $0.unreadable.filter { $0.overlaps(ids) }.map { $0.clamped(to: ids) } }
    var result = initial
    for row in rows {
      if let lost = unreadable.first(where: { $0.lowerBound <= row.id }) { throw UnreadableRows(lost) }
      guard try add(&result, row) else { return result }
    }
    if let lost = unreadable.first { throw UnreadableRows(lost) }
    return result
  }

  /// A row with values in all columns that differ from those of other rows.
  static func row(_ id: Int64, text: String = "", installs: String = "install") -> StoredRow {
    let facts = IncomingDevice(model: "iPhone\(id % 3)", country: "DE")
    return StoredRow(
      id: id, app: 1 + id % 2, day: 20_000 + Int(id % 5), time: 1_750_000_000_123 + id,
      received: 1_750_000_001_000 + id,
      kind: id % 7 == 0 ? .crash : id % 13 == 0 ? .attachment : .event, flags: id % 7 == 0 ? 5 : id % 13 == 0 ? 7 : 0,
      name: "Purchase \"\(id % 4)\"\t\n",
      nameID: id % 4, install: "\(installs)-\(id % 11)", slot: UInt32(id % 11), session: -id,
      user: id % 3 == 0 ? "person \(id % 6)" : "", userNumber: id % 3 == 0 ? UInt32(id % 6) : nil,
      key: id % 2 == 0 ? nil : DuplicateKey(milliseconds: 1_750_000_000_123 - id, hash: .min + id),
      device: StoredRow.Device(
        id: id % 3, facts: facts, labels: DeviceLabels(facts), texts: Array(repeating: id % 3, count: 12)),
      properties: (0..<id % 3).map {
        StoredRow.Property(name: "p\($0)", nameID: $0, type: UInt8($0), value: text + "ü\(id)")
      },
      parameters: id % 5 == 0 ? [HitParameter(name: "t", value: "pageview")] : nil,
      error: id % 7 == 0 ? error(id) : nil, attachment: id % 7 > 0 && id % 13 == 0 ? attachment(id) : nil)
  }

  private static func attachment(_ id: Int64) -> StoredRow.Attachment {
    var attachment = StoredRow.Attachment()
    attachment.error = "error-\(id % 7)"
    attachment.id = "file-\(id)"
    attachment.file = "log.txt"
    attachment.part = id % 2
    attachment.parts = 2
    attachment.data = [0, 255, UInt8(truncatingIfNeeded: id)]
    return attachment
  }

  private static func error(_ id: Int64) -> StoredRow.ErrorDetails {
    var error = StoredRow.ErrorDetails()
    error.id = "error-\(id)"
    error.group = id
    error.fingerprint = -id
    error.message = "Index out of range"
    error.raw = [0, 255, UInt8(truncatingIfNeeded: id)]
    error.hasTexts = true
    return error
  }
}
