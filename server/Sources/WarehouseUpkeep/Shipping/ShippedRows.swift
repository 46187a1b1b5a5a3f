import RowFiles
import TernBase
import Threads
package import Warehouse
package import WarehouseSQLite

/// Reads the rows of a warehouse for a copy elsewhere, on a thread of its own, so that reports don't wait for it.
package final class ShippedRows: RowSource {
  private let reader: WarehouseReader
  private let hasAttachments: Bool
  private let threads = ThreadPool<Never>(.shipping)

  /// - Parameter hasAttachments: True to add the attachments of errors to the rows that brought them.
  package init(_ reader: WarehouseReader, hasAttachments: Bool) {
    (self.reader, self.hasAttachments) = (reader, hasAttachments)
  }

  /// Ends the thread. Later reads throw.
  package func close() { threads.close() }

  /// Returns the ID of the last row stored; 0 if there is none.
  package func lastID() throws -> Int64 {
    do {
      return try reader.read { try StoredSpan.lastRow($0) }
    } catch {
      throw WarehouseError.from(error)
    }
  }

  package func stretches(after id: Int64) async throws -> [RowStretch] {
    try await reading { connection in
      var stretches: [RowStretch] = []
      for span in try StoredSpan.all(connection, after: id) {
        if let last = stretches.last, last.segment == span.segment {
          stretches[stretches.count - 1] = RowStretch(
            segment: last.segment, ids: last.ids.lowerBound...span.ids.upperBound)
        } else {
          stretches.append(RowStretch(segment: span.segment, ids: span.ids))
        }
      }
      return stretches
    }
  }

  package func rows<Result: Sendable>(
    _ ids: ClosedRange<Int64>, into initial: Result,
    _ add: @escaping @Sendable (inout Result, StoredRow) throws -> Bool
  ) async throws -> Result {
    // Not as reports read, which leave out what can't be read.
    let unreadable = Locked<UnreadableRows?>(nil)
    do {
      return try await threads.run { [reader, hasAttachments] in
        try WarehouseReader.read(reader.pool) { connection in
          let found = DamagedRows()
          unreadable.withLock { $0 = nil }
          var result = initial
          var reading = try StoredRowReading(
            connection, reader.dictionary, reader.catalog, hasAttachments: hasAttachments)
          let scan = try EventScan(connection, ids: ids, damage: found)
          while let row = try scan.next(), !scan.hasDamage || found.ids.isEmpty {
            guard try add(&result, try reading.complete(row, scan)) else { return result }
          }
          guard let first = found.ids.first else { return result }
          unreadable.withLock { $0 = UnreadableRows(first) }
          // They may only have moved.
          throw WarehouseError(.damaged, "\(UnreadableRows(first))")
        }
      }
    } catch let error as WarehouseError where error.code == .damaged {
      throw unreadable.withLock { $0 } ?? error
    } catch {
      throw WarehouseError.from(error)
    }
  }

  private func reading<Value: Sendable>(
    _ body: @escaping @Sendable (SQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      return try await threads.run { [reader] in try reader.read(body) }
    } catch {
      throw WarehouseError.from(error)
    }
  }
}
