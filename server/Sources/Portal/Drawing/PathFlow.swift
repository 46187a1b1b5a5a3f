import Questions

/// The places and bands of a drawing of paths: what ``PathDrawing`` draws, without coordinates.
struct PathFlow {
  /// A screen or an event at one step; without a node, all others of the step together.
  struct Place: Hashable {
    var column: Int
    var node: PathsAnswer.Node?
  }

  /// The sessions that went from one place to another.
  struct Band {
    var from: Place
    var to: Place
    var sessions: Int
  }

  /// The places of each column, the largest first, all others last.
  let columns: [[Place]]
  let bands: [Band]
  /// The number of sessions in a place: those that came or those that went on, whichever are more.
  private let sizes: [Place: Int]

  /// The most places of a column that are shown by name.
  static let maximumPlaces = 7

  /// Creates the flow of an answer.
  ///
  /// - Parameter isBackwards: True if steps count backwards from the end, which is then the last column.
  init(_ answer: PathsAnswer, isBackwards: Bool) {
    let steps = answer.edges.map(\.step).max() ?? 0
    func column(of step: Int) -> Int { isBackwards ? steps - step : step - 1 }
    let edges = answer.edges.map { edge in
      Band(
        from: Place(column: column(of: edge.step), node: edge.from),
        to: Place(column: column(of: edge.step) + 1, node: edge.to), sessions: edge.sessions)
    }
    let named = Self.sizes(edges)
    var kept: Set<Place> = []
    for column in 0...steps {
      let places = named.keys.filter { $0.column == column }.sorted { Self.precedes($0, $1, named) }
      kept.formUnion(places.prefix(Self.maximumPlaces))
    }
    func shown(_ place: Place) -> Place { kept.contains(place) ? place : Place(column: place.column, node: nil) }
    var sums: [[Place]: Int] = [:]
    for edge in edges { sums[[shown(edge.from), shown(edge.to)], default: 0] += edge.sessions }
    for (index, sessions) in answer.other.enumerated() where sessions > 0 && index < steps {
      let column = column(of: index + 1)
      sums[[Place(column: column, node: nil), Place(column: column + 1, node: nil)], default: 0] += sessions
    }
    let bands = sums.map { Band(from: $0[0], to: $0[1], sessions: $1) }
    let sizes = Self.sizes(bands)
    columns = (0...steps).map { column in
      sizes.keys.filter { $0.column == column }.sorted { Self.precedes($0, $1, sizes) }
    }
    let ranks = Dictionary(uniqueKeysWithValues: columns.flatMap { $0.enumerated().map { ($1, $0) } })
    self.bands = bands.sorted { left, right in
      (left.from.column, ranks[left.from] ?? 0, ranks[left.to] ?? 0)
        < (right.from.column, ranks[right.from] ?? 0, ranks[right.to] ?? 0)
    }
    self.sizes = sizes
  }

  /// The number of sessions in a place.
  func sessions(_ place: Place) -> Int { sizes[place] ?? 0 }

  private static func sizes(_ bands: [Band]) -> [Place: Int] {
    var (into, outOf): ([Place: Int], [Place: Int]) = ([:], [:])
    for band in bands {
      outOf[band.from, default: 0] += band.sessions
      into[band.to, default: 0] += band.sessions
    }
    return into.merging(outOf) { max($0, $1) }
  }

  /// Orders places by their sessions, the largest first; all others come last.
  private static func precedes(_ left: Place, _ right: Place, _ sizes: [Place: Int]) -> Bool {
    guard let leftNode = left.node, let rightNode = right.node else { return left.node != nil }
    let (first, second) = (sizes[left] ?? 0, sizes[right] ?? 0)
    return first != second ? first > second : leftNode < rightNode
  }
}
