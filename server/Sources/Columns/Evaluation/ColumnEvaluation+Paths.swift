import Questions
import Views
import Warehouse

extension ColumnEvaluation {
  /// One row of a session.
  private struct Visit: BitwiseCopyable {
    /// The number of its node; −1 for none.
    var node: Int32
    var isAnchor: Bool
  }

  func answer(_ question: PathsQuestion) throws -> PathsAnswer {
    let edges = PairTable()
    let counts = GrowingMemory<Int>()
    var ended = Array(repeating: 0, count: question.depth)
    let nodes = PathNodes(question.nodes)
    let isBackwards = if case .end = question.anchor { true } else { false }
    try forEachPath(question, nodes) { path in
      if !path.isCut { ended[path.nodes.count - 1] += 1 }
      for step in 1..<max(path.nodes.count, 1) {
        let (one, other) = (UInt64(path.nodes[step - 1]), UInt64(path.nodes[step]))
        let (from, to) = isBackwards ? (other, one) : (one, other)
        let (edge, isNew) = edges.number(UInt64(step), from << 32 | to)
        if isNew { counts.append(0) }
        counts.elements[edge] += 1
      }
      if edges.count & 4_095 == 0 { try limits.check(limits.bytes / 2 + edges.count * 48) }
    }
    let sorted = (0..<edges.count).map { index in
      let (step, pair) = (edges.pair(index).first, edges.pair(index).second)
      return PathsAnswer.Edge(
        step: Int(step), from: nodes.node(Int(pair >> 32)), to: nodes.node(Int(pair & 0xFFFF_FFFF)),
        sessions: counts.elements[index])
    }
    .sorted(by: PathsAnswer.Edge.precedes)
    var other = Array(repeating: 0, count: question.depth - 1)
    for edge in sorted.dropFirst(question.limit) { other[edge.step - 1] += edge.sessions }
    return PathsAnswer(edges: Array(sorted.prefix(question.limit)), other: other, ended: ended)
  }

  private func forEachPath(_ question: PathsQuestion, _ nodes: PathNodes, _ body: (SessionPath) throws -> Void) throws {
    let days = question.scope.range.resolved(today: today)
    let scope = try condition(question.scope.filters, days)
    let anchor: RowCondition? =
      switch question.anchor {
      case .sessionStart: nil
      case .start(let selector), .end(let selector): try condition(selector, days)
      }
    let collected = PersonRows<Visit>(bytes: limits.bytes / 2)
    var fold = PathFold(question)
    var next: UInt32 = 0
    while next < firstUser {
      // Sessions belong to installs, so these divide the work.
      collected.begin(next..<firstUser)
      let sessions = SessionNumbers()
      try forEachChunk(in: DayRange(days)) { cursor, range in
        sessions.load(cursor.chunk)
        try select(scope, range, cursor) { rows in
          try cursor.withMask { mask in
            try fill(mask, anchor ?? .not(.always), cursor)
            collect(rows, anchors: mask, nodes.numbers(cursor.chunk), sessions, cursor.chunk, into: collected)
          }
        }
        try collected.shrink { sessions.install($0) }
        try limits.check(limits.bytes / 2 + sessions.byteCount)
      }
      try collected.forEach { rows in
        for row in rows { fold.add(node: row.row.node < 0 ? nil : row.row.node, isAnchor: row.row.isAnchor) }
        if let path = fold.finish() { try body(path) }
      }
      next = collected.owners.upperBound
    }
  }

  private func collect(
    _ rows: UnsafeBufferPointer<UInt16>, anchors: ChunkCursor.Mask, _ nodes: Memory<Int32>, _ sessions: SessionNumbers,
    _ chunk: Chunk, into collected: PersonRows<Visit>
  ) {
    let (attachment, owners) = (QuestionKind.attachment.storedNumber, collected.owners)
    for row in rows {
      let row = Int(row)
      let (sender, label) = (Int(chunk.senders[row]), Int(chunk.labels[row]))
      let session = sessions.ofSender[sender]
      guard session >= 0, chunk.labelKinds[label] >> 1 != attachment, owners.contains(chunk.senderSlots[sender]),
        nodes[label] >= 0 || anchors[row] != 0
      else { continue }
      collected.append(
        PersonRows.Element(
          owner: UInt32(session), value: 0, time: chunk.time(row),
          row: Visit(node: nodes[label], isAnchor: anchors[row] != 0)))
    }
  }
}

/// Numbers the screens and events of paths.
private final class PathNodes {
  private let kinds: [QuestionKind]
  private let table = ByteTable(seed: 0x7465_726E)
  private var nodes: [PathsAnswer.Node] = []

  init(_ nodes: PathsQuestion.Nodes) {
    kinds = nodes == .both ? [.screen, .event] : nodes == .screens ? [.screen] : [.event]
  }

  func node(_ number: Int) -> PathsAnswer.Node { nodes[number] }

  /// Returns the node of each label of a chunk; −1 for none.
  func numbers(_ chunk: Chunk) -> Memory<Int32> {
    let numbers = Memory<Int32>(count: chunk.header.labels, zero: -1)
    for label in 0..<numbers.count where kinds.contains(chunk.kind(label)) && chunk.labelNames[label] != Chunk.noText {
      let isScreen = chunk.kind(label) == .screen
      let name = String(decoding: chunk.text(chunk.labelNames[label]), as: UTF8.self)
      let number = withUTF8((isScreen ? "s" : "e") + name) { bytes in
        let key = table.key(bytes)
        return table.find(bytes, key) ?? table.insert(bytes, key)
      }
      if number == nodes.count { nodes.append(PathsAnswer.Node(isScreen: isScreen, name: .text(name))) }
      numbers[label] = Int32(number)
    }
    return numbers
  }
}
