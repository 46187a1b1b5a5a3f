import Questions
import TernBase
import Threads
import Warehouse

/// The paths of some chunks.
private final class PathPart {
  let counts: PathCounts
  /// The rows of sessions that may have some elsewhere.
  let collected: PersonRows
  let prefixes: PathPrefixes
  var fold: PathFold
  static let whole = Int32(-1)
  static let skipped = Int32(-2)

  /// The rows of the chunk that matter.
  let list = Memory<UInt16>(count: Chunk.maximumRows + 1, zero: 0)
  /// For each sender of the chunk, the number of its session, if that may have rows elsewhere.
  let numbers = Memory<Int32>(count: Chunk.maximumRows, zero: whole)
  /// The rows of whole sessions by sender, and where those of each sender end.
  let order = Memory<UInt16>(count: Chunk.maximumRows, zero: 0)
  let ends = Memory<Int32>(count: Chunk.maximumRows + 1, zero: 0)

  init(_ question: PathsQuestion, _ edge: PersonsQuestion.Edge?, _ partitions: Range<Int>) {
    counts = PathCounts(question, edge)
    collected = PersonRows(partitions, width: 1)
    prefixes = PathPrefixes(question)
    fold = PathFold(question)
  }
}

extension ColumnEvaluation {
  func answer(_ question: PathsQuestion) throws -> PathsAnswer {
    let all = try pathCounts(question)
    let (edges, other) = all.mostFrequent(question.limit)
    return PathsAnswer(edges: edges, other: other, ended: all.ended)
  }

  /// Counts the paths of all sessions; with an edge, lists the sessions that take it instead.
  func pathCounts(_ question: PathsQuestion, _ edge: PersonsQuestion.Edge? = nil) throws -> PathCounts {
    let range = DayRange(question.scope.range.resolved(today: today))
    let scope = try condition(question.scope.filters, range.days)
    let anchor: RowCondition? =
      switch question.anchor {
      case .sessionStart: nil
      case .start(let selector), .end(let selector): try condition(selector, range.days)
      }
    let split = try SplitSessions(chunks(in: range), threads)
    let all = PathCounts(question, edge)
    let sessions = Locked(SessionNumbers())
    var next = 0
    while next < PersonRows.partitionCount {
      let partitions = next..<PersonRows.partitionCount
      let parts = try inParts(of: range) {
        PathPart(question, edge, partitions)
      } body: { [self] part, cursor, range in
        try select(scope, range, cursor) { rows in
          try cursor.withMask { mask in
            if let anchor { try fill(mask, anchor, cursor) }
            let anchors = anchor == nil ? nil : mask
            let count = choose(rows, anchors, part, cursor.chunk)
            number(part, cursor.chunk, split, sessions)
            collect(count, anchors, part, cursor.chunk)
            // Later passes are for other rows that were collected.
            if partitions.lowerBound == 0 { foldWholeSessions(anchors, part, cursor.chunk) }
          }
        }
        let others = sessions.withLock { $0.byteCount } + split.byteCount
        try check(others / threads.count + part.counts.byteCount + part.prefixes.byteCount, cursor)
        // A quarter is left for one partition's rows in order.
        try part.collected.shrink(to: max(limits.bytes - others, 0) / 4 * 3 / threads.count)
      }
      let nodes = parts.map { all.nodes.adopt($0.counts.nodes) }
      for (part, numbers) in zip(parts, nodes) { all.merge(part.counts, nodes: numbers) }
      let end = parts.reduce(partitions.upperBound) { min($0, $1.collected.partitions.upperBound) }
      try fold(next..<end, of: parts.map(\.collected), nodes, question, edge, sessions.withLock { $0 }, into: all)
      next = end
    }
    return all
  }

  /// Lists the rows that matter, and counts those of each sender; returns their number.
  private func choose(
    _ rows: UnsafeBufferPointer<UInt16>, _ anchors: ChunkCursor.Mask?, _ part: PathPart, _ chunk: Chunk
  ) -> Int {
    let (senders, labels) = (chunk.senders, chunk.labels)
    let nodes = part.counts.nodes.load(chunk)
    let (counts, list) = (part.ends.start, part.list.start)
    counts.update(repeating: 0, count: chunk.header.senders + 1)
    var count = 0
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let (sender, node) = (Int(senders[row]), nodes[Int(labels[row])])
      let isAnchor = anchors.map { $0[row] != 0 } ?? false
      let isWanted = chunk.senderSessions[sender] != 0 && (node >= 0 || node == PathNodes.noNode && isAnchor)
      list[count] = UInt16(row)
      count += isWanted ? 1 : 0
      counts[sender + 1] += isWanted ? 1 : 0
    }
    return count
  }

  /// Numbers the sessions of the chunk whose rows must be collected.
  private func number(_ part: PathPart, _ chunk: Chunk, _ split: SplitSessions, _ sessions: Locked<SessionNumbers>) {
    for sender in 0..<chunk.header.senders {
      let (install, session) = (chunk.senderSlots[sender], chunk.senderSessions[sender])
      part.numbers[sender] = PathPart.whole
      guard part.ends[sender + 1] > 0, split.mayContain(install, session) else { continue }
      part.ends[sender + 1] = 0
      let number = sessions.withLock { $0.number(install, session) }
      part.prefixes.add(number)
      // Others are for later passes, or lie behind the end of the path.
      let isCollected =
        part.collected.collects(UInt32(number))
        && !part.prefixes.isCut(number, at: chunk.moment(Int(chunk.senderFirsts[sender])))
      part.numbers[sender] = isCollected ? Int32(number) : PathPart.skipped
    }
  }

  /// Orders the rows of whole sessions by sender, and collects the rows of others.
  private func collect(_ count: Int, _ anchors: ChunkCursor.Mask?, _ part: PathPart, _ chunk: Chunk) {
    let (ends, order, list, numbers) = (part.ends.start, part.order.start, part.list.start, part.numbers.start)
    let nodes = part.counts.nodes.ofLabel.start
    // If a page of the file is lost just now, the senders aren't those that were counted, and rows of another chunk would stay here.
    order.update(repeating: 0, count: count)
    for sender in 0..<chunk.header.senders { ends[sender + 1] += ends[sender] }
    for position in 0..<count {
      let row = Int(list[position])
      let sender = Int(chunk.senders[row])
      if numbers[sender] == PathPart.whole {
        order[Int(ends[sender])] = UInt16(row)
        ends[sender] += 1
      } else if numbers[sender] >= 0 {
        let (moment, isAnchor) = (chunk.moment(row), anchors.map { $0[row] != 0 } ?? false)
        let node = max(nodes[Int(chunk.labels[row])], PathNodes.noNode)
        guard part.prefixes.add(Int(numbers[sender]), moment, node, isAnchor: isAnchor) else { continue }
        part.collected.append(
          PersonRow(moment: moment, bits: isAnchor ? 1 : 0, value: UInt32(node + 1)), of: UInt32(numbers[sender]))
      }
    }
  }

  /// Adds the paths of the sessions that lie as a whole in the chunk.
  private func foldWholeSessions(_ anchors: ChunkCursor.Mask?, _ part: PathPart, _ chunk: Chunk) {
    let (nodes, order, ends) = (part.counts.nodes.ofLabel.start, part.order.start, part.ends.start)
    var start = 0
    for sender in 0..<chunk.header.senders {
      let count = Int(ends[sender]) - start
      // Negative if a page was lost since the rows were counted.
      guard count > 0 else { continue }
      let rows = UnsafeMutableBufferPointer(start: order + start, count: count)
      start += count
      Self.sortByTime(rows, chunk)
      for position in 0..<rows.count {
        let row = Int(rows[position])
        let node = nodes[Int(chunk.labels[row])]
        part.fold.add(node: node < 0 ? nil : node, isAnchor: anchors.map { $0[row] != 0 } ?? false)
      }
      guard let path = part.fold.finish() else { continue }
      part.counts.add(path, of: chunk.senderSlots[sender], chunk.senderSessions[sender], part.counts.nodes)
    }
  }

  private static func sortByTime(_ rows: UnsafeMutableBufferPointer<UInt16>, _ chunk: Chunk) {
    for position in 1..<max(rows.count, 1)
    where chunk.moment(Int(rows[position])) < chunk.moment(Int(rows[position - 1])) {
      var rows = rows
      return rows.sort { (chunk.moment(Int($0)), $0) < (chunk.moment(Int($1)), $1) }
    }
  }

  /// Adds the paths of sessions whose rows were collected, on several threads.
  private func fold(
    _ partitions: Range<Int>, of collected: [PersonRows], _ nodes: [[Int]], _ question: PathsQuestion,
    _ edge: PersonsQuestion.Edge?, _ sessions: SessionNumbers, into all: PathCounts
  ) throws {
    let ranges = GroupedRows.ranges(partitions, threads: threads.count)
    // A row's value is its node plus one, or 0 for none.
    let valueNumbers = nodes.map { [0] + $0.map { $0 + 1 } }
    let (limits, threads) = (limits, threads.count)
    let counts = try self.threads.map(ranges.count) { part in
      let counts = PathCounts(question, edge)
      var fold = PathFold(question)
      for partition in ranges[part] {
        let rows = try GroupedRows(
          partition, of: collected, owners: sessions.count, valueNumbers: valueNumbers, threads: threads, within: limits
        )
        rows.forEach { session, rows in
          for row in rows { fold.add(node: row.value == 0 ? nil : Int32(row.value) - 1, isAnchor: row.bits != 0) }
          guard let path = fold.finish() else { return }
          counts.add(path, of: sessions.install(session), sessions.session(session), all.nodes)
        }
      }
      return counts
    }
    // These have the numbers of all nodes already.
    for part in counts { all.merge(part, nodes: Array(0..<all.nodes.count)) }
  }
}
