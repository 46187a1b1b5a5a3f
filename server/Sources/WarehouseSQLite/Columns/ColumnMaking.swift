package import Columns
import Questions
import RowFiles
package import TernBase
package import Threads
import Warehouse

/// Makes the chunks of all apps again from the rows, on several threads.
///
/// A chunk depends on the rows before it only by the row after which it begins and by the current session of each
/// install that sends hits, so a first scan tells where chunks begin, and each thread makes some.
package final class ColumnMaking: Sendable {
  package typealias Body = @Sendable (_ chunk: Chunk) -> Void

  /// A number of consecutive chunks of one app.
  private struct Piece {
    var app: Int64
    /// The row after which the first one begins.
    var after: Int64
    /// The last row that each chunk covers.
    var ends: ArraySlice<Int64>
    /// The first hit of the Measurement Protocol, from which on the app's hits are part of sessions.
    var firstHit: Int64

    /// The first row that must be read.
    var first: Int64 { min(firstHit, after + 1) }
  }

  /// The chunks of one app, as counted.
  private struct AppChunks {
    var ends: [Int64] = []
    var rows = 0
    var firstHit = Int64.max
  }

  private let lookups: Locked<RowLookups>
  private let directory: String
  private let spans: [StoredSpan]

  /// - Parameter spans: All spans of the rows.
  package init(_ lookups: Locked<RowLookups>, rows directory: String, _ spans: [StoredSpan]) {
    self.lookups = lookups
    self.directory = directory
    self.spans = spans
  }

  /// Adds the making of chunks to tasks.
  ///
  /// - Parameters:
  ///   - ends: The last row that each chunk of each app covers, ascending; `nil` to make all full chunks.
  ///   - body: Receives each chunk. One that would be too large is made in parts.
  package func add(to tasks: ParallelTasks, ends: [Int64: [Int64]]? = nil, _ body: @escaping Body) throws {
    var apps = try counted()
    if let ends {
      for (app, ends) in ends { apps[app, default: AppChunks()].ends = ends }
      for app in apps.keys where ends[app] == nil { apps[app] = nil }
    }
    for pieces in Self.portions(apps) { tasks.add { try self.make(pieces, body) } }
  }

  /// Finds the ends of full chunks.
  private func counted() throws -> [Int64: AppChunks] {
    var apps: [Int64: AppChunks] = [:]
    var (app, current) = (Int64?.none, AppChunks())
    // Rows that can't be read are left out, as everywhere in columns.
    let scan = EventScan(directory: directory, spans, damage: DamagedRows())
    while let row = try scan.next() {
      if row.app != app {
        if let app { apps[app] = current }
        app = row.app
        current = apps[row.app] ?? AppChunks()
      }
      guard QuestionKind(row.flags.kind) != nil else { continue }
      current.rows += 1
      if row.flags.isMeasurement, current.firstHit == .max { current.firstHit = row.id }
      guard current.rows == Chunk.maximumRows else { continue }
      current.ends.append(row.id)
      current.rows = 0
    }
    if let app { apps[app] = current }
    return apps
  }

  /// Divides chunks into at most two portions per thread: each may have to read the rows of all apps.
  private static func portions(_ apps: [Int64: AppChunks]) -> [[Piece]] {
    let total = apps.values.reduce(0) { $0 + $1.ends.count }
    let size = max(total - 1, 0) / (2 * ThreadKind.sharesOfAllRows) + 1
    var portions: [[Piece]] = []
    var portion: [Piece] = []
    var room = size
    for (app, chunks) in apps.sorted(by: { $0.key < $1.key }) {
      var number = 0
      while number < chunks.ends.count {
        let end = min(number + room, chunks.ends.count)
        let after = number == 0 ? 0 : chunks.ends[number - 1]
        portion.append(
          Piece(app: app, after: after, ends: chunks.ends[number..<end], firstHit: chunks.firstHit))
        room -= end - number
        number = end
        guard room == 0 else { continue }
        portions.append(portion)
        (portion, room) = ([], size)
      }
    }
    return portion.isEmpty ? portions : portions + [portion]
  }

  private func make(_ pieces: [Piece], _ body: Body) throws {
    let source = ColumnSource(lookups)
    let left = Dictionary(uniqueKeysWithValues: pieces.map { ($0.app, Making($0)) })
    let first = pieces.map(\.first).min() ?? 1
    let last = pieces.compactMap(\.ends.last).max() ?? 0
    let apps = Set(left.keys)
    let spans = spans.filter {
      $0.ids.upperBound >= first && $0.ids.lowerBound <= last && !$0.apps.isDisjoint(with: apps)
    }
    let scan = EventScan(directory: directory, spans, after: first - 1, through: last, damage: DamagedRows())
    var current: Making?
    while let row = try scan.next() {
      if current?.piece.app != row.app { current = left[row.app] }
      guard let making = current, row.id <= making.last else { continue }
      guard row.id > making.piece.after else {
        // Only its session matters.
        if QuestionKind(row.flags.kind) != nil { _ = making.columns.session(of: row) }
        continue
      }
      making.endChunks(before: row.id, body)
      try source.add(row, scan, to: making.columns)
      if making.columns.builder.isFull { making.endChunk(through: row.id, body) }
    }
    for making in left.values { making.endChunks(before: .max, body) }
  }

  /// The making of a piece.
  private final class Making {
    let piece: Piece
    let columns: AppColumns
    let last: Int64
    private var ends: ArraySlice<Int64>

    package init(_ piece: Piece) {
      self.piece = piece
      columns = AppColumns(app: piece.app, after: piece.after)
      last = piece.ends.last ?? 0
      ends = piece.ends
    }

    /// Ends the chunks that cover no row from this one on.
    func endChunks(before row: Int64, _ body: Body) {
      while let end = ends.first, end < row { endChunk(through: end, body) }
    }

    func endChunk(through row: Int64, _ body: Body) {
      columns.endChunk(through: row) { chunk in
        body(chunk)
        return chunk
      }
      columns.dropChunks()
      if ends.first == row { ends.removeFirst() }
    }
  }
}
