/// Finds the best attempts of one person under each value that the rows of all steps have.
///
/// Each value is a funnel of its own over the rows with the value. Rows of other values take part only by ending attempts:
/// for each row it is enough to know what lies between it and the row before it with the same value. So the rows are
/// divided by value and folded once, however many values a person has.
package struct EveryStepFold<Fold: FunnelFolding>: FunnelFolding {
  private var fold: Fold
  private let isStrict: Bool
  private var rows: [Row] = []
  /// The number of the moment, which tied rows share.
  private var moment = -1
  /// The exclusions and, in strict funnels, events and screens of the current moment.
  private var interruption = Interruption()
  private var hasTies = false
  /// The same for each earlier moment with ties.
  private var tiedInterruptions: [Int: Interruption] = [:]
  /// The moment of the last row of each value.
  private var lastOfValue: [Int32: Int] = [:]
  /// The moments of the last rows that each exclusion matches, and of the last events and screens.
  private var lastExcluded = Array(repeating: LastMoments(), count: 16)
  private var lastEventOrScreen = LastMoments()

  private struct Row {
    var row: FunnelRow
    var moment: Int
    /// The interruptions since the row before with the same value.
    var before = Interruption()
  }

  /// The exclusions of some rows, and if an event or a screen is among them.
  private struct Interruption {
    var exclusions: UInt16 = 0
    var isEventOrScreen = false

    var endsAny: Bool { exclusions != 0 || isEventOrScreen }

    /// A row without steps that interrupts the same.
    func row(at time: Int64, isTied: Bool) -> FunnelRow {
      FunnelRow(time: time, isTied: isTied, steps: 0, exclusions: exclusions, isEventOrScreen: isEventOrScreen)
    }
  }

  /// The two latest moments.
  private struct LastMoments {
    var last = -1
    var before = -1

    mutating func note(_ moment: Int) { if moment != last { (last, before) = (moment, last) } }
    func isBetween(_ start: Int, _ end: Int) -> Bool { (last < end ? last : before) > start }
  }

  /// - Parameter fold: The fold of the funnel without its breakdown.
  package init(_ question: FunnelQuestion, _ fold: Fold) {
    self.fold = fold
    isStrict = question.order == .strict
  }

  package mutating func add(_ row: FunnelRow) {
    if row.isTied { hasTies = true } else { endMoment() }
    if row.steps != 0 {
      rows.append(Row(row: row, moment: moment, before: interruption(before: row)))
      lastOfValue[row.value] = moment
    }
    var rest = row.exclusions
    while rest != 0 {
      lastExcluded[rest.trailingZeroBitCount].note(moment)
      rest &= rest - 1
    }
    if row.isEventOrScreen { lastEventOrScreen.note(moment) }
    interruption.exclusions |= row.exclusions
    if isStrict, row.isEventOrScreen { interruption.isEventOrScreen = true }
  }

  private mutating func endMoment() {
    if hasTies { tiedInterruptions[moment] = interruption }
    (interruption, hasTies) = (Interruption(), false)
    moment += 1
  }

  private func interruption(before row: FunnelRow) -> Interruption {
    var interruption = Interruption()
    guard let start = lastOfValue[row.value], start < moment else { return interruption }
    for bit in lastExcluded.indices where lastExcluded[bit].isBetween(start, moment) {
      interruption.exclusions |= 1 << UInt16(bit)
    }
    interruption.isEventOrScreen = isStrict && lastEventOrScreen.isBetween(start, moment)
    return interruption
  }

  package mutating func finish() -> FunnelResult {
    endMoment()
    var result = FunnelResult()
    let order = rows.indices.sorted { (rows[$0].row.value, $0) < (rows[$1].row.value, $1) }
    for (place, index) in order.enumerated() {
      var row = rows[index].row
      let before = rows[index].before
      if before.endsAny { fold.add(before.row(at: row.time, isTied: false)) }
      let (moment, value) = (rows[index].moment, row.value)
      row.isTied = place > 0 && hasValue(value, order[place - 1], at: moment)
      fold.add(row)
      let next = place + 1 < order.count ? order[place + 1] : nil
      if let tied = tiedInterruptions[moment], tied.endsAny, !(next.map { hasValue(value, $0, at: moment) } ?? false) {
        fold.add(tied.row(at: row.time, isTied: true))
      }
      if next.map({ rows[$0].row.value == value }) ?? false { continue }
      if let attempt = fold.finish().common { result.byValue[value] = attempt }
    }
    rows.removeAll(keepingCapacity: true)
    tiedInterruptions.removeAll(keepingCapacity: true)
    lastOfValue.removeAll(keepingCapacity: true)
    for bit in lastExcluded.indices { lastExcluded[bit] = LastMoments() }
    (moment, lastEventOrScreen) = (-1, LastMoments())
    return result
  }

  private func hasValue(_ value: Int32, _ index: Int, at moment: Int) -> Bool {
    rows[index].row.value == value && rows[index].moment == moment
  }
}
