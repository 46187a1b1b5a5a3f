import Columns
import TernBase
import Threads
import Warehouse
import WarehouseSQLite

extension Verifier {
  /// Adds the making of the stored columns in memory, and their comparison with the files.
  func addColumns(to tasks: ParallelTasks, _ connection: SQLConnection) throws {
    let making = ColumnMaking(lookups, rows: directory, try StoredSpan.all(connection))
    tasks.add { [columns = reader.columns.directory] in
      let stored = try columns.load { name in self.noteColumns(of: Int64(name.prefix { $0 != "-" }) ?? 0, name) }
      let expected = stored.mapValues { Dictionary($0.map { ($0.header.last, $0.header) }) { $1 } }
      try making.add(to: tasks, ends: stored.mapValues { $0.map(\.header.last) }) { chunk in
        // A part of a chunk that is too large is none of those stored.
        guard let header = expected[chunk.header.app]?[chunk.header.last] else { return }
        self.report.withLock { $0.metrics += 1 }
        if chunk.header != header { self.noteColumns(of: header.app, columns.name(header)) }
      }
    }
  }

  private func noteColumns(of app: Int64, _ file: String) {
    report.withLock {
      $0.add(
        VerificationReport.Difference(
          app: AppID(app), day: nil, dimension: .total, key: file, expected: "its rows", found: "other columns"))
    }
  }
}
