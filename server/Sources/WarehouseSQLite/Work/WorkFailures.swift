import TernBase
package import Warehouse

/// The kinds of work on stored rows that fail at the moment, each with its latest failure.
///
/// Work that failed is tried again. Until it succeeds, reports lack what it makes, so operators must see this.
package final class WorkFailures: Sendable {
  private let failures = Locked<[String: WarehouseProblem]>([:])
  private let report: @Sendable (String) -> Void

  /// - Parameter report: Receives a message when some work begins to fail, fails for another reason, or succeeds again.
  init(report: @escaping @Sendable (String) -> Void = { _ in }) { self.report = report }

  /// Everything that fails, sorted.
  var problems: [WarehouseProblem] { failures.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }

  /// Records the outcome of some work.
  ///
  /// - Parameters:
  ///   - work: The beginning of a sentence, such as "Counting".
  ///   - effect: A sentence about what reports lack.
  package func record(_ work: String, _ failure: (any Error)?, effect: String = "") {
    let problem = failure.map { failure in
      WarehouseProblem(
        summary: effect.isEmpty ? "\(work) fails." : "\(work) fails. \(effect)", detail: "\(work) fails: \(failure)")
    }
    let before = failures.withLock { failures in
      defer { failures[work] = problem }
      return failures[work]
    }
    guard before?.detail != problem?.detail else { return }
    report(
      problem.map { "\($0.detail) It is tried again.\(effect.isEmpty ? "" : " ")\(effect)" } ?? "\(work) works again.")
  }

  /// Forgets failures of work on views that are gone.
  package func keep(views: [View]) {
    let ids = Set(views.map { "\($0.id)" })
    failures.withLock { failures in
      failures = failures.filter { work, _ in
        let words = work.split(separator: " ")
        return words.count != 3 || words[1] != "view" || ids.contains(String(words[2]))
      }
    }
  }
}
