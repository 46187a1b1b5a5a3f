import Foundation
import TernBase
package import Warehouse
import WarehouseSQLite

/// The result of recounting all stored events.
package struct VerificationReport: Sendable {
  /// A stored count that doesn't match the events.
  package struct Difference: Sendable, Hashable, CustomStringConvertible {
    package var app: AppID
    /// The civil day in the app's zone; `nil` if the difference concerns no day.
    package var day: Day?
    /// The dimension of the count.
    package var dimension: Warehouse::Dimension
    /// The key within the dimension, as stored.
    package var key: String
    /// The value according to the stored events: count or users.
    package var expected: String
    /// The value according to the rollups.
    package var found: String

    /// A description of the difference.
    package var description: String {
      let place = day.map { "app \(app), \($0)" } ?? "app \(app)"
      return "\(place), \(dimension) \"\(key)\": expected \(expected) from the events, found \(found)"
    }
  }

  /// The number of events counted.
  package var events: Int
  /// The number of stored events that the rollups don't contain yet. They were not compared.
  package var uncountedEvents: Int
  /// The number of counts compared.
  package var metrics: Int
  /// The number of counts that differ.
  package var differenceCount: Int
  /// The number of differences in sealed days and their state, which `rebuild` doesn't change.
  package var sealedDifferenceCount: Int
  /// The first thousand differences.
  package var differences: [Difference]
  /// The number of problems with the files of events and of duplicate keys.
  package var problemCount: Int
  /// Descriptions of the first thousand problems.
  package var problems: [String]

  /// Advice on how to repair the differences; empty if there are none.
  package var remedy: String {
    let mustRebuild = differenceCount > sealedDifferenceCount || problemCount > 0
    var rebuild = mustRebuild ? ["Stop the server and run `tern rebuild`."] : []
    if problemCount > 0 { rebuild.append("It keeps all events that can be read; the others are only in backups.") }
    let restore =
      sealedDifferenceCount > 0
      ? ["\(sealedDifferenceCount) differences are in sealed days, which can only be restored from a backup."] : []
    return (rebuild + restore).joined(separator: " ")
  }

  /// True if there are no differences and no problems.
  package var isClean: Bool { differenceCount == 0 && problemCount == 0 }

  init() {
    events = 0
    uncountedEvents = 0
    metrics = 0
    differenceCount = 0
    sealedDifferenceCount = 0
    differences = []
    problemCount = 0
    problems = []
  }

  /// Adds the results of another part of the work.
  mutating func add(_ other: VerificationReport) {
    events += other.events
    metrics += other.metrics
    differenceCount += other.differenceCount
    sealedDifferenceCount += other.sealedDifferenceCount
    differences += other.differences.prefix(max(0, 1_000 - differences.count))
    problemCount += other.problemCount
    problems += other.problems.prefix(max(0, 1_000 - problems.count))
  }

  mutating func add(problem: String) {
    problemCount += 1
    if problems.count < 1_000 { problems.append(problem) }
  }

  mutating func add(_ difference: Difference, isSealed: Bool = false) {
    differenceCount += 1
    if isSealed { sealedDifferenceCount += 1 }
    if differences.count < 1_000 { differences.append(difference) }
  }
}

extension WarehouseReader {
  /// Recounts all rollups from the stored events and lists where they differ from the stored ones.
  ///
  /// Works on a snapshot and only reads, so a server may be running. Events that aren't in the rollups yet are left
  /// out. Several threads share the work; to bound memory, each counts a part of some days at a time.
  ///
  /// - Parameter progress: Receives the number of rows read so far, on any thread.
  package func verify(progress: @escaping @Sendable (Int) -> Void = { _ in }) async throws -> VerificationReport {
    try await reading { [self] connection in
      let counted = try CountSchema.countedRow(connection)
      var report = try Verifier(connection, reader: self, through: counted).run(connection, progress: progress)
      let uncounted = SaturatingInt64(try StoredSpan.lastRow(connection)) - SaturatingInt64(counted)
      report.uncountedEvents = Int(clamping: uncounted.rawValue)
      return report
    }
  }
}
