import Testing

@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The search for the row at which work fails.
@Suite struct FaultSearchTests {
  /// Searches some rows for a cause; returns the finding and the number of trials.
  private func search(_ rows: ClosedRange<Int64>, fails: (ClosedRange<Int64>?) -> Bool) -> (FaultSearch.Finding?, Int) {
    var search = FaultSearch(rows)
    var trials = 0
    while search.finding == nil, trials < 200 {
      search.handle(failed: fails(search.trial))
      trials += 1
    }
    return (search.finding, trials)
  }

  @Test func `every single row is found, with few trials`() {
    for count in Int64(1)...40 {
      for culprit in 5..<5 + count {
        let (finding, trials) = search(5...4 + count) { $0?.contains(culprit) ?? false }
        #expect(finding == .row(culprit), "\(culprit) of \(count)")
        #expect(trials <= 17)
      }
    }
    let (finding, trials) = search(1...1_000_000) { $0?.contains(777_777) ?? false }
    #expect(finding == .row(777_777) && trials <= 43)
  }

  @Test func `of rows that fail only together, the last one that is needed is found`() {
    for last in Int64(2)...30 {
      for first in 1..<last {
        let (finding, _) = search(1...30) { $0.map { $0.contains(first) && $0.contains(last) } ?? false }
        #expect(finding == .row(last), "\(first) and \(last)")
      }
    }
  }

  @Test func `of several rows that fail, one is found after the other`() {
    var culprits: Set<Int64> = [3, 9, 10, 64]
    while !culprits.isEmpty {
      guard case .row(let row)? = search(1...64, fails: { $0.map { !culprits.isDisjoint(with: $0) } ?? false }).0 else {
        Issue.record("none of \(culprits) was found")
        return
      }
      #expect(culprits.remove(row) != nil)
    }
    #expect(search(1...64) { _ in false }.0 == .notReproduced)
  }

  @Test func `a trial that fails by chance blames no row`() {
    for stray in 1...40 {
      var trials = 0
      let (finding, _) = search(1...1_000) { _ in
        trials += 1
        return trials == stray
      }
      #expect(finding == .notReproduced, "trial \(stray)")
    }
  }

  @Test func `rows that no warehouse has, from a damaged file, are searched like others`() throws {
    let rows = try #require(DerivedWork.columns(rows: .min ... .max).rows)
    #expect(search(rows) { $0?.contains(5) ?? false }.0 == .row(5))
    #expect(DerivedWork.viewDay(view: 1, day: 1, through: .max).rows?.count ?? 0 > 0)
  }

  @Test func `work that fails without any row is told apart`() {
    #expect(search(1...64) { _ in true }.0 == .work)
  }
}
