import Reports
package import Warehouse

extension PortalPages {
  /// The page about the copy of all rows on a ClickHouse cluster.
  ///
  /// - Parameter status: How far it is; `nil` if that can't be read.
  package func cluster(_ status: ClusterStatus?) -> String {
    let rows = (status?.shards ?? []).map { shard -> TemplateValues in
      .row([
        shown(shard.name), grouped(shard.confirmedRows), grouped(shard.waitingRows),
        shown(shard.problem ?? "", empty: "–"),
      ])
    }
    return management(
      ManagementPage(
        title: "Cluster", lead: Self.lead(status),
        tables: [
          .list(
            "Shards", ["Shard", "Rows", "On their way", "Waits because"], rows, empty: "No row was sent to a shard yet."
          )
        ]))
  }

  private static func lead(_ status: ClusterStatus?) -> String {
    guard let status else { return "How far the copy is can't be read: shipping.sqlite is damaged or in use." }
    let problem = status.problem.map { " Nothing is sent: \(visible($0))" } ?? ""
    guard status.backlog > 0 else { return "Every row is on the ClickHouse cluster.\(problem)" }
    return """
      \(grouped(status.backlog)) rows are on this server only; new ones are sent within a minute. Reports don't depend on the \
      cluster.\(problem)
      """
  }
}
