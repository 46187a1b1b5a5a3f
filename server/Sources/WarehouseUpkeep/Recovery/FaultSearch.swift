/// Finds the row at which some work fails, by trying the work on parts of its rows.
///
/// Halves the rows as long as one half fails alone. If neither half does, rows fail only together: then the search
/// looks for the shortest beginning that fails, and its last row is the one. What it finds must fail once more: a trial may
/// have failed by chance, and then every further one would lead to a row that is not to blame.
struct FaultSearch {
  /// The result.
  enum Finding: Equatable {
    /// The work fails on none of the trials: something else ended the process.
    case notReproduced
    /// The work fails because of this row.
    case row(Int64)
    /// The work fails without any row.
    case work
  }

  private enum Step {
    case all
    case nothing
    case lowerHalf
    case upperHalf
    /// The rows from the first one up to a middle, when all rows up to `rows.upperBound` fail.
    case beginning(passing: Int64)
    /// Once more the rows that fail, the last of which is to blame.
    case confirmation
  }

  private var rows: ClosedRange<Int64>
  private var step = Step.all
  /// The finding, once there is one.
  private(set) var finding: Finding?

  /// - Parameter rows: All rows that the work reads.
  init(_ rows: ClosedRange<Int64>) { self.rows = rows }

  /// The rows to try next; `nil` for none of them. Not meaningful once there is a finding.
  var trial: ClosedRange<Int64>? {
    switch step {
    case .all: rows
    case .nothing: nil
    case .lowerHalf: rows.lowerBound...middle
    case .upperHalf: middle + 1...rows.upperBound
    case .beginning(let passing): rows.lowerBound...passing + (rows.upperBound - passing) / 2
    case .confirmation: rows
    }
  }

  private var middle: Int64 { rows.lowerBound + (rows.upperBound - rows.lowerBound) / 2 }

  /// Records the outcome of the current trial.
  mutating func handle(failed: Bool) {
    switch step {
    case .all:
      if failed { step = .nothing } else { finding = .notReproduced }
    case .nothing:
      if failed { finding = .work } else { halve() }
    case .lowerHalf:
      guard failed else {
        step = .upperHalf
        return
      }
      rows = rows.lowerBound...middle
      halve()
    case .upperHalf:
      guard failed else {
        step = .beginning(passing: middle)
        endIfFound(passing: middle)
        return
      }
      rows = middle + 1...rows.upperBound
      halve()
    case .beginning(var passing):
      let tried = passing + (rows.upperBound - passing) / 2
      if failed { rows = rows.lowerBound...tried } else { passing = tried }
      step = .beginning(passing: passing)
      endIfFound(passing: passing)
    case .confirmation: finding = failed ? .row(rows.upperBound) : .notReproduced
    }
  }

  private mutating func halve() { step = rows.count == 1 ? .confirmation : .lowerHalf }

  private mutating func endIfFound(passing: Int64) {
    if rows.upperBound - passing <= 1 { step = .confirmation }
  }
}
