import Warehouse

/// One line of a ranking: how often, by how many, and which part of the whole.
public struct RankedFigures: Sendable, Hashable, Encodable {
  /// What is counted; empty when the client did not say.
  public var name: String
  /// How often.
  public var count: Int
  /// Distinct installs.
  public var users: Int
  /// Part of all that the ranking counts, from 0 to 1; rows beyond the limit are part of the whole.
  public var share: Double

  /// Creates a line.
  public init(name: String, count: Int, users: Int, share: Double) {
    self.name = name
    self.count = count
    self.users = users
    self.share = share
  }
}

/// The part of a whole from 0 to 1, rounded to a millionth so that output stays readable; 0 of nothing.
func share(_ part: Int, of whole: Int) -> Double {
  guard whole > 0 else { return 0 }
  return (Double(part) / Double(whole) * 1_000_000).rounded() / 1_000_000
}

extension ReportRequest {
  /// The keys of a dimension, most frequent first, each with its share of all keys but the one left out.
  func ranking(
    _ dimension: Dimension, from source: any FigureSource, defaultLimit: Int, leavingOut omitted: String? = nil
  ) async throws -> [RankedFigures] {
    // Without a limit here, since the share is of the whole and not of the rows shown.
    let figures = try await source.totals(app: app, dimension: dimension, days: days, limit: nil).filter {
      $0.key != omitted
    }
    let whole = figures.map(\.count).saturatingSum()
    return figures.prefix(limit ?? defaultLimit).map {
      RankedFigures(name: $0.key, count: $0.count, users: $0.users, share: share($0.count, of: whole))
    }
  }
}
