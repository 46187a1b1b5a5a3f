import Ingest
import Questions
import ServerBase
import TernBase
import Threads

/// The metrics of all cells of a query.
final class CellMetrics {
  /// Events, screens, session starts by kind of row, handled errors, crashes and other rows, then marked session starts.
  static let countWidth = 7
  static let markedStarts = 6

  /// Sums of a property's numeric values.
  private struct Sums: BitwiseCopyable {
    var count = 0
    var sum = 0.0
    var least = Double.infinity
    var greatest = -Double.infinity
  }

  private struct PropertyState {
    let name: ExactText
    let keepsValues: Bool
    let sums = GrowingMemory<Sums>()
    var values: [[Double]] = []
  }

  let groups: [QueryQuestion.Group]
  let cells: CellNumbers
  private let hours: CivilHours
  private let days: DayRange
  let counts = GrowingMemory<Int>()
  let rowCounts = GrowingMemory<Int>()
  let users: DistinctPairs?
  let crashedUsers: DistinctPairs?
  let sessions: DistinctPairs?
  let crashedSessions: DistinctPairs?
  let newUsers = GrowingMemory<Int>()
  let firstTimes: Memory<Int64>?
  private var properties: [PropertyState] = []
  private var durations: [Int: [Int64]] = [:]

  init(
    _ metrics: [QuestionMetric], _ groups: [QueryQuestion.Group], _ evaluation: ColumnEvaluation, _ days: DayRange
  ) throws {
    self.groups = groups
    hours = evaluation.hours
    self.days = days
    cells = CellNumbers(groups)
    let plain = Set(
      metrics.compactMap { if case .plain(let plain) = $0 { plain } else { nil } })
    let persons = evaluation.personCount
    func pairs(_ wanted: Set<QuestionMetric.Plain>, _ universe: Int?) -> DistinctPairs? {
      plain.isDisjoint(with: wanted) ? nil : DistinctPairs(universe: universe, parts: evaluation.threads.count)
    }
    users = pairs([.users, .newUsers, .eventsPerUser, .sessionsPerUser, .crashFreeUsers], persons)
    crashedUsers = pairs([.crashFreeUsers], persons)
    sessions = pairs(Self.durationMetrics.union([.sessions, .sessionsPerUser, .crashFreeSessions]), nil)
    crashedSessions = pairs([.crashFreeSessions], nil)
    firstTimes = plain.contains(.newUsers) ? try evaluation.firstTimes() : nil
    for case .property(let aggregate, let name) in metrics {
      let index = properties.firstIndex { $0.name == name }
      let keepsValues = aggregate.percent != nil || index.map { properties[$0].keepsValues } ?? false
      let state = PropertyState(name: name, keepsValues: keepsValues)
      if let index { properties[index] = state } else { properties.append(state) }
    }
  }

  static let durationMetrics: Set<QuestionMetric.Plain> = [
    .sessionDurationAverage, .sessionDurationMedian, .sessionDurationP90,
  ]

  var needsSessions: Bool { sessions != nil }

  var byteCount: Int {
    let sets = [users, crashedUsers, sessions, crashedSessions].reduce(0) { $0 + ($1?.byteCount ?? 0) }
    let values = properties.reduce(0) { $0 + $1.sums.count * 32 + $1.values.reduce(0) { $0 + $1.capacity * 8 + 24 } }
    return sets + values + cells.byteCount + counts.count * 8
  }

  /// Adds the rows of a chunk that pass.
  func add(_ rows: UnsafeBufferPointer<UInt16>, _ cursor: ChunkCursor, _ sessionNumbers: SessionNumbers?) {
    if properties.isEmpty, groups.count <= 1 {
      let column = groups.first.map { cursor.column($0.dimension) } ?? cursor.whole
      if column.distinct <= Self.maximumTallies { return add(rows, column, cursor, sessionNumbers) }
    }
    cells.load(rows, groups, cursor)
    count(rows, cursor)
    if let users { add(rows, cursor, to: users) }
    if let sessions, let sessionNumbers { add(rows, cursor, sessionNumbers, to: sessions) }
    addProperties(rows, cursor)
  }

  private func count(_ rows: UnsafeBufferPointer<UInt16>, _ cursor: ChunkCursor) {
    let (chunk, cells) = (cursor.chunk, cursor.scratch.cells.start)
    for position in 0..<rows.count {
      let cell = Int(cells[position])
      if cell >= rowCounts.count { grow(to: cell) }
      let kind = chunk.labelKinds[Int(chunk.labels[Int(rows[position])])]
      rowCounts.elements[cell] += 1
      counts.elements[cell * Self.countWidth + Int(kind >> 1)] += 1
      if kind & 1 == 1 {
        counts.elements[cell * Self.countWidth + Self.markedStarts] += 1
      }
    }
  }

  func grow(to cell: Int) {
    while cell >= rowCounts.count {
      rowCounts.append(0)
      newUsers.append(0)
      for _ in 0..<Self.countWidth { counts.append(0) }
    }
  }

  private func add(_ rows: UnsafeBufferPointer<UInt16>, _ cursor: ChunkCursor, to users: DistinctPairs) {
    let (chunk, persons, cells) = (cursor.chunk, cursor.persons, cursor.scratch.cells.start)
    let crash = QuestionKind.crash.storedNumber
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let (cell, person) = (Int(cells[position]), persons[Int(chunk.senders[row])])
      if users.insert(cell, person), let firstTimes, isNew(firstTimes[Int(person)], in: cell) {
        newUsers.elements[cell] += 1
      }
      if let crashedUsers, chunk.labelKinds[Int(chunk.labels[row])] >> 1 == crash {
        _ = crashedUsers.insert(cell, person)
      }
    }
  }

  /// Returns true if a person's first row ever lies in the range and in the cell's units of time.
  func isNew(_ first: Int64, in cell: Int) -> Bool {
    guard days.contains(first, hours) else { return false }
    guard groups.contains(where: { $0.dimension.timeUnit != nil }) else { return true }
    let parts = cells.parts(cell)
    return groups.indices.allSatisfy { index in
      guard let unit = groups[index].dimension.timeUnit else { return true }
      return cells.values[index].unit(parts[index]) == hours.number(of: unit, at: first)
    }
  }

  private func add(
    _ rows: UnsafeBufferPointer<UInt16>, _ cursor: ChunkCursor, _ numbers: SessionNumbers, to sessions: DistinctPairs
  ) {
    let (chunk, cells) = (cursor.chunk, cursor.scratch.cells.start)
    let (crash, other) = (QuestionKind.crash.storedNumber, QuestionKind.other.storedNumber)
    var last = (cell: -1, session: SessionNumbers.none)
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let session = numbers.number(ofSender: Int(chunk.senders[row]))
      let kind = chunk.labelKinds[Int(chunk.labels[row])] >> 1
      guard session != SessionNumbers.none, kind != other else { continue }
      let cell = Int(cells[position])
      if last.cell != cell || last.session != session {
        _ = sessions.insert(cell, UInt32(session))
        last = (cell, session)
      }
      if let crashedSessions, kind == crash { _ = crashedSessions.insert(cell, UInt32(session)) }
    }
  }

  private func addProperties(_ rows: UnsafeBufferPointer<UInt16>, _ cursor: ChunkCursor) {
    guard !properties.isEmpty else { return }
    let (cellOfRow, cells) = (cursor.scratch.cellOfRow.start, cursor.scratch.cells.start)
    cellOfRow.update(repeating: -1, count: cursor.chunk.rows)
    for position in 0..<rows.count { cellOfRow[Int(rows[position])] = cells[position] }
    for index in properties.indices {
      guard let column = withUTF8(properties[index].name.text, { cursor.chunk.property($0) }) else { continue }
      let sums = properties[index].sums
      for position in 0..<column.count {
        let cell = Int(cellOfRow[column.rows.map { Int($0[position]) } ?? position])
        let value = Int(column.indexes[position])
        guard cell >= 0, value < column.numberCount else { continue }
        let number = column.numbers[value]
        while cell >= sums.count { sums.append(Sums()) }
        sums.elements[cell].count += 1
        sums.elements[cell].sum += number
        sums.elements[cell].least = min(sums.elements[cell].least, number)
        sums.elements[cell].greatest = max(sums.elements[cell].greatest, number)
        if properties[index].keepsValues {
          while cell >= properties[index].values.count { properties[index].values.append([]) }
          properties[index].values[cell].append(number)
        }
      }
    }
  }

  // MARK: - Parts

  /// Adds the cells of another part, whose chunks come after these.
  ///
  /// - Parameter sessionNumbers: The number here of each session there.
  func merge(_ other: CellMetrics, sessionNumbers: [Int]) {
    merge(other, cells: cells.adopt(other.cells, count: other.rowCounts.count), sessionNumbers)
  }

  /// True if the metrics of all cells together follow from those of the cells. Sums of a property don't: their order
  /// would decide on the last digit.
  var canBeUnited: Bool { properties.isEmpty }

  /// Adds all cells of a query with dimensions to the only cell of this one.
  func unite(_ other: CellMetrics) {
    merge(other, cells: Array(repeating: 0, count: other.rowCounts.count), nil)
  }

  private func merge(_ other: CellMetrics, cells numbers: [Int], _ sessionNumbers: [Int]?) {
    for (cell, number) in numbers.enumerated() {
      grow(to: number)
      rowCounts.elements[number] += other.rowCounts.elements[cell]
      for index in 0..<Self.countWidth {
        counts.elements[number * Self.countWidth + index] += other.counts.elements[cell * Self.countWidth + index]
      }
    }
    if let users, let others = other.users {
      users.merge(others, sets: numbers) { [self] cell, person in
        if let firstTimes, isNew(firstTimes[Int(person)], in: cell) { newUsers.elements[cell] += 1 }
      }
    }
    if let theirs = other.crashedUsers { crashedUsers?.merge(theirs, sets: numbers, didInsert: nil) }
    for (mine, theirs) in [(sessions, other.sessions), (crashedSessions, other.crashedSessions)] {
      if let theirs { mine?.merge(theirs, sets: numbers, members: sessionNumbers, didInsert: nil) }
    }
    for index in properties.indices { merge(other.properties[index], into: &properties[index], numbers) }
  }

  private func merge(_ other: PropertyState, into state: inout PropertyState, _ numbers: [Int]) {
    for cell in 0..<other.sums.count {
      let sums = other.sums.elements[cell]
      while numbers[cell] >= state.sums.count { state.sums.append(Sums()) }
      state.sums.elements[numbers[cell]].count += sums.count
      state.sums.elements[numbers[cell]].sum += sums.sum
      state.sums.elements[numbers[cell]].least = min(state.sums.elements[numbers[cell]].least, sums.least)
      state.sums.elements[numbers[cell]].greatest = max(state.sums.elements[numbers[cell]].greatest, sums.greatest)
    }
    for cell in other.values.indices {
      while numbers[cell] >= state.values.count { state.values.append([]) }
      state.values[numbers[cell]] += other.values[cell]
    }
  }

  // MARK: - Results

  /// Sorts what percentiles need, after the last row.
  ///
  /// - Parameter times: The bounds of all sessions; `nil` if no metric needs durations.
  func finish(_ times: SessionTimes?) {
    if let times { sessions?.forEach { durations[$0, default: []].append(times.duration($1)) } }
    for cell in durations.keys { durations[cell]?.sort() }
    for index in properties.indices {
      for cell in properties[index].values.indices { properties[index].values[cell].sort() }
    }
  }

  /// The cells that have rows.
  var present: [Int] { rowCounts.elements.indices.filter { rowCounts.elements[$0] > 0 } }

  func value(_ metric: QuestionMetric, _ cell: Int) -> Double? {
    switch metric {
    case .plain(let plain): value(plain, cell)
    case .property(let aggregate, let name): value(aggregate, name, cell)
    // Each of its terms is counted by cells of its own.
    case .derived: nil
    }
  }

  private func value(_ aggregate: QuestionMetric.Aggregate, _ name: ExactText, _ cell: Int) -> Double? {
    guard let state = properties.first(where: { $0.name == name }), cell < state.sums.count,
      state.sums.elements[cell].count > 0
    else { return nil }
    let sums = state.sums.elements[cell]
    switch aggregate {
    case .sum: return sums.sum
    case .avg: return sums.sum / Double(sums.count)
    case .min: return sums.least
    case .max: return sums.greatest
    case .p50, .p90, .p99: return percentile(aggregate.percent ?? 50, ofSorted: state.values[cell])
    }
  }

  private func count(_ index: Int, _ cell: Int) -> Double {
    cell < rowCounts.count ? Double(counts.elements[cell * Self.countWidth + index]) : 0
  }

  private func value(_ metric: QuestionMetric.Plain, _ cell: Int) -> Double? {
    func kind(_ kind: QuestionKind) -> Double { count(Int(kind.storedNumber), cell) }
    let (persons, visits) = (users?.count(cell) ?? 0, sessions?.count(cell) ?? 0)
    func quotient(_ value: Double) -> Double { persons == 0 ? 0 : value / Double(persons) }
    func share(_ crashed: DistinctPairs?, of all: Int) -> Double? {
      all == 0 ? nil : 1 - Double(crashed?.count(cell) ?? 0) / Double(all)
    }
    switch metric {
    case .events: return kind(.event)
    case .screens: return kind(.screen)
    case .errors: return kind(.handledError)
    case .crashes: return kind(.crash)
    case .users: return Double(persons)
    case .newUsers: return cell < newUsers.count ? Double(newUsers.elements[cell]) : 0
    case .sessions: return Double(visits)
    case .sessionStarts: return count(Self.markedStarts, cell)
    case .eventsPerUser: return quotient(kind(.event))
    case .sessionsPerUser: return quotient(Double(visits))
    case .sessionDurationAverage:
      guard let durations = durations[cell] else { return nil }
      return Double(durations.saturatingSum) / Double(durations.count) / 1_000
    case .sessionDurationMedian: return percentile(50, ofSorted: durations[cell] ?? []).map { Double($0) / 1_000 }
    case .sessionDurationP90: return percentile(90, ofSorted: durations[cell] ?? []).map { Double($0) / 1_000 }
    case .crashFreeUsers: return share(crashedUsers, of: persons)
    case .crashFreeSessions: return share(crashedSessions, of: visits)
    }
  }
}
