import Questions
import ServerBase

/// The paths of some sessions, counted by edge; or the sessions that take one edge.
final class PathCounts {
  let nodes: PathNodes
  /// The sessions that take the edge, if the question is about one.
  let taken: SessionNumbers?
  private let edge: PersonsQuestion.Edge?
  private(set) var ended: [Int]
  private let edges = PairTable()
  private let counts = GrowingMemory<Int>()
  private let isBackwards: Bool

  init(_ question: PathsQuestion, _ edge: PersonsQuestion.Edge? = nil) {
    nodes = PathNodes(question.nodes)
    self.edge = edge
    taken = edge == nil ? nil : SessionNumbers()
    ended = Array(repeating: 0, count: question.depth)
    isBackwards = if case .end = question.anchor { true } else { false }
  }

  var byteCount: Int { edges.count * 48 + (taken?.byteCount ?? 0) }

  /// Adds the path of a session.
  ///
  /// - Parameter names: The nodes in which the path's numbers are names.
  func add(_ path: SessionPath, of install: UInt32, _ session: Int64, _ names: PathNodes) {
    if let edge, let taken {
      guard path.nodes.count > edge.step else { return }
      let pair = (names.node(Int(path.nodes[edge.step - 1])), names.node(Int(path.nodes[edge.step])))
      if isBackwards ? pair == (edge.to, edge.from) : pair == (edge.from, edge.to) {
        _ = taken.number(install, session)
      }
      return
    }
    if !path.isCut { ended[path.nodes.count - 1] += 1 }
    for step in 1..<max(path.nodes.count, 1) {
      let (one, other) = (UInt64(path.nodes[step - 1]), UInt64(path.nodes[step]))
      let (from, to) = isBackwards ? (other, one) : (one, other)
      add(1, step: UInt64(step), from: from, to: to)
    }
  }

  private func add(_ count: Int, step: UInt64, from: UInt64, to: UInt64) {
    let (edge, isNew) = edges.number(step, from << 32 | to)
    if isNew { counts.append(0) }
    counts.elements[edge] += count
  }

  /// Adds the paths of another part.
  ///
  /// - Parameter numbers: The number here of each node there.
  func merge(_ other: PathCounts, nodes numbers: [Int]) {
    for index in ended.indices { ended[index] += other.ended[index] }
    if let members = other.taken { _ = taken?.adopt(members) }
    for edge in 0..<other.edges.count {
      let (step, pair) = (other.edges.pair(edge).first, other.edges.pair(edge).second)
      add(
        other.counts.elements[edge], step: step, from: UInt64(numbers[Int(pair >> 32)]),
        to: UInt64(numbers[Int(pair & 0xFFFF_FFFF)]))
    }
  }

  /// The most frequent edges in order, and the sessions of all others by step.
  func mostFrequent(_ limit: Int) -> (edges: [PathsAnswer.Edge], other: [Int]) {
    // There may be as many edges as pairs of nodes, so names are compared once for each node, not for each pair of edges.
    let ranks = nodes.ranks
    let order = (0..<edges.count).map { index in
      let (step, pair) = (edges.pair(index).first, edges.pair(index).second)
      return Rank(
        sessions: counts.elements[index], step: Int(step), from: ranks[Int(pair >> 32)],
        to: ranks[Int(pair & 0xFFFF_FFFF)], edge: index)
    }
    .sorted()
    var other = Array(repeating: 0, count: ended.count - 1)
    for rank in order.dropFirst(limit) { other[rank.step - 1] += rank.sessions }
    return (order.prefix(limit).map { edge($0.edge) }, other)
  }

  private func edge(_ index: Int) -> PathsAnswer.Edge {
    let (step, pair) = (edges.pair(index).first, edges.pair(index).second)
    return PathsAnswer.Edge(
      step: Int(step), from: nodes.node(Int(pair >> 32)), to: nodes.node(Int(pair & 0xFFFF_FFFF)),
      sessions: counts.elements[index])
  }

  /// The place of an edge: the most frequent come first, then those of earlier steps, then by their nodes.
  private struct Rank: Comparable {
    let sessions: Int
    let step: Int
    let from: Int
    let to: Int
    let edge: Int

    static func < (left: Rank, right: Rank) -> Bool {
      (right.sessions, left.step, left.from, left.to) < (left.sessions, right.step, right.from, right.to)
    }
  }
}

/// Numbers the screens and events of paths.
final class PathNodes {
  /// A label that is no node, and one whose rows can't be anchors either.
  static let noNode = Int32(-1)
  static let noAnchor = Int32(-2)

  private let kinds: [QuestionKind]
  private let table = ByteTable(seed: 0x7465_726E)
  private var nodes: [PathsAnswer.Node] = []
  /// The node of each label of the chunk.
  let ofLabel = Memory<Int32>(count: Chunk.maximumRows, zero: 0)

  init(_ nodes: PathsQuestion.Nodes) {
    kinds = nodes == .both ? [.screen, .event] : nodes == .screens ? [.screen] : [.event]
  }

  var count: Int { nodes.count }
  func node(_ number: Int) -> PathsAnswer.Node { nodes[number] }

  /// The place of each node in the order of nodes.
  var ranks: [Int] {
    var ranks = Array(repeating: 0, count: nodes.count)
    for (rank, number) in nodes.indices.sorted(by: { nodes[$0] < nodes[$1] }).enumerated() { ranks[number] = rank }
    return ranks
  }

  /// Numbers the labels of a chunk.
  func load(_ chunk: Chunk) -> UnsafeMutablePointer<Int32> {
    for label in 0..<chunk.header.labels {
      let kind = chunk.kind(label)
      ofLabel[label] = kind == .other ? Self.noAnchor : Self.noNode
      guard kinds.contains(kind), chunk.labelNames[label] != Chunk.noText else { continue }
      let name = String(decoding: chunk.text(chunk.labelNames[label]), as: UTF8.self)
      ofLabel[label] = Int32(number(isScreen: kind == .screen, name))
    }
    return ofLabel.start
  }

  private func number(isScreen: Bool, _ name: String) -> Int {
    let number = withUTF8((isScreen ? "s" : "e") + name) { bytes in
      let key = table.key(bytes)
      return table.find(bytes, key) ?? table.insert(bytes, key)
    }
    if number == nodes.count { nodes.append(PathsAnswer.Node(isScreen: isScreen, name: .text(name))) }
    return number
  }

  /// Adds the nodes of another part; returns the number that each has here.
  func adopt(_ other: PathNodes) -> [Int] { other.nodes.map { number(isScreen: $0.isScreen, $0.name.text ?? "") } }
}
