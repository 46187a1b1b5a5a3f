import Foundation
import Views
public import Warehouse

/// What counting everything again has shown.
public struct VerificationReport: Sendable {
  /// A figure that is not what the events say.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// The app.
    public var app: AppID
    /// The civil day in the app's zone.
    public var day: Day
    /// What the figure is broken down by.
    public var dimension: Warehouse::Dimension
    /// The key within the dimension, as it is stored.
    public var key: String
    /// What the stored events say: count or users.
    public var expected: String
    /// What the figures say.
    public var found: String

    /// The difference in words.
    public var description: String {
      "app \(app), \(day), \(dimension) \"\(key)\": the events say \(expected), the figures \(found)"
    }
  }

  /// Events that were counted.
  public var events: Int
  /// Figures that were compared.
  public var figures: Int
  /// How many differ.
  public var differenceCount: Int
  /// How many of those are of sealed days and what they remember, which `rebuild` leaves alone.
  public var sealedDifferenceCount: Int
  /// The first thousand that differ.
  public var differences: [Difference]

  /// What helps, in sentences; empty when nothing differs.
  public var remedy: String {
    let rebuild = differenceCount > sealedDifferenceCount ? ["Stop the server and run `tern rebuild`."] : []
    let restore =
      sealedDifferenceCount > 0
      ? ["Sealed days are never rewritten: \(sealedDifferenceCount) can only be restored from a backup."] : []
    return (rebuild + restore).joined(separator: " ")
  }

  /// Whether nothing differs.
  public var isClean: Bool { differenceCount == 0 }

  init() {
    events = 0
    figures = 0
    differenceCount = 0
    sealedDifferenceCount = 0
    differences = []
  }

  mutating func add(_ difference: Difference, isSealed: Bool = false) {
    differenceCount += 1
    if isSealed { sealedDifferenceCount += 1 }
    if differences.count < 1_000 { differences.append(difference) }
  }
}

extension WarehouseReader {
  /// Counts all figures again from the stored events and lists where they differ from what reports show.
  ///
  /// It sees one state of the data and only reads, so a server may run meanwhile. Events whose figures are still being
  /// written are left out. Memory is bounded: some days are counted at a time.
  ///
  /// - Parameter progress: is told the number of rows read so far.
  public func verify(progress: @escaping @Sendable (Int) -> Void = { _ in }) async throws -> VerificationReport {
    try await reading { [self] connection in
      let verifier = try Verifier(connection, reader: self, through: WarehouseSchema.rolledUp(connection))
      return try verifier.run(progress: progress)
    }
  }
}
