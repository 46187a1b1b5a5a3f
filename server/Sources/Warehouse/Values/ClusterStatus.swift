/// The progress of the copy of a server's rows on a ClickHouse cluster.
public struct ClusterStatus: Sendable, Hashable {
  /// One shard.
  public struct Shard: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The rows that it has.
    public var confirmedRows = 0
    /// The rows that are on their way to it.
    public var waitingRows = 0
    /// The reason why it is behind; `nil` if nothing is wrong.
    public var problem: String?

    /// Creates a shard without rows.
    public init(name: String) { self.name = name }
  }

  /// The number of this server on the cluster.
  public var home: UInt64 = 0
  /// The shards, by name.
  public var shards: [Shard] = []
  /// The rows at home that no shard is meant to have yet.
  public var newRows = 0
  /// The old rows that only the cluster has.
  public var retiredRows = 0
  /// The reason why nothing is shipped; `nil` if nothing is wrong.
  public var problem: String?

  /// Creates a status without rows.
  public init() {}

  /// The rows that the cluster has.
  public var confirmedRows: Int { shards.reduce(0) { $0 + $1.confirmedRows } }
  /// The rows that are at home only.
  public var backlog: Int { shards.reduce(newRows) { $0 + $1.waitingRows } }
  /// Every reason why rows wait.
  public var problems: [String] { [problem].compactMap(\.self) + shards.compactMap(\.problem) }
}
