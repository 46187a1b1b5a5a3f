import Columns
import Questions
import TernBase
import Threads
import Warehouse

/// Makes the full chunks of all apps again from the rows, on several threads.
///
/// A chunk depends on the rows before it only by the row after which it begins and by the current session of each
/// install that sends hits, so a first scan that counts rows tells where chunks begin, and each thread makes some.
final class ColumnMaking: Sendable {
  /// Receives each chunk with its number within its app.
  typealias Body = @Sendable (_ chunk: Chunk, _ number: Int) -> Void

  /// A number of consecutive chunks of one app.
  private struct Piece {
    var app: Int64
    /// The number of the first chunk.
    var number: Int
    /// The row after which the first one begins.
    var after: Int64
    /// The last row of each chunk.
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
  init(_ lookups: Locked<RowLookups>, rows directory: String, _ spans: [StoredSpan]) {
    self.lookups = lookups
    self.directory = directory
    self.spans = spans
  }

  /// Adds the making of chunks to tasks.
  ///
  /// - Parameter chunks: The maximum number of chunks of each app; `nil` for all chunks of all apps.
  /// - Returns: The number of chunks of each app that will be made.
  @discardableResult
  func add(
    to tasks: ParallelTasks, atMost chunks: [Int64: Int]? = nil, _ body: @escaping Body
  ) throws -> [Int64: Int] {
    let apps = try counted(chunks)
    for pieces in Self.portions(apps) { tasks.add { try self.make(pieces, body) } }
    return apps.mapValues(\.ends.count)
  }

  /// Finds the ends of chunks.
  private func counted(_ limits: [Int64: Int]?) throws -> [Int64: AppChunks] {
    var apps: [Int64: AppChunks] = [:]
    var (app, current, limit) = (Int64?.none, AppChunks(), 0)
    // Rows that can't be read are left out, as everywhere in columns.
    let scan = EventScan(directory: directory, spans, damage: DamagedRows())
    while let row = try scan.next() {
      if row.app != app {
        if let app { apps[app] = current }
        app = row.app
        current = apps[row.app] ?? AppChunks()
        limit = limits.map { $0[row.app] ?? 0 } ?? .max
      }
      guard current.ends.count < limit, QuestionKind(row.flags.kind) != nil else { continue }
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
    let size = max(total - 1, 0) / (2 * WarehouseFile.workThreads) + 1
    var portions: [[Piece]] = []
    var portion: [Piece] = []
    var room = size
    for (app, chunks) in apps.sorted(by: { $0.key < $1.key }) {
      var number = 0
      while number < chunks.ends.count {
        let end = min(number + room, chunks.ends.count)
        let after = number == 0 ? 0 : chunks.ends[number - 1]
        portion.append(
          Piece(app: app, number: number, after: after, ends: chunks.ends[number..<end], firstHit: chunks.firstHit))
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
    var left = Dictionary(uniqueKeysWithValues: pieces.map { ($0.app, Making($0)) })
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
      try source.add(row, scan, to: making.columns)
      guard making.columns.builder.isFull else { continue }
      making.endChunk(body)
      if row.id == making.last { left[row.app] = nil }
    }
  }

  /// The making of a piece.
  private final class Making {
    let piece: Piece
    let columns: AppColumns
    let last: Int64
    private var number: Int

    init(_ piece: Piece) {
      self.piece = piece
      columns = AppColumns(app: piece.app, after: piece.after)
      last = piece.ends.last ?? 0
      number = piece.number
    }

    func endChunk(_ body: Body) {
      columns.endChunk { chunk in
        body(chunk, number)
        return chunk
      }
      columns.dropChunks()
      number += 1
    }
  }
}
