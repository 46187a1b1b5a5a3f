import Reports
package import Warehouse

/// The page about the copy of all rows on a ClickHouse cluster.
package struct ClusterPage: Page {
  let visit: PageVisit
  let status: ClusterStatus?

  /// - Parameter status: How far it is; `nil` if that can't be read.
  package init(_ visit: PageVisit, _ status: ClusterStatus?) {
    (self.visit, self.status) = (visit, status)
  }

  package func html() -> String {
    let rows = (status?.shards ?? []).map { shard -> TemplateValues in
      .row([
        shown(shard.name), grouped(shard.confirmedRows), grouped(shard.waitingRows),
        shown(Self.olderUnits(shard), empty: "–"), shown(shard.problem ?? "", empty: "–"),
      ])
    }
    return visit.management(
      ManagementPage(
        title: "Cluster", lead: Self.lead(status),
        tables: [
          .list(
            "Shards", ["Shard", "Rows", "On their way", "Older rows to delete", "Waits because"], rows,
            empty: "No row was sent to a shard yet."
          )
        ]))
  }

  private static func olderUnits(_ shard: ClusterStatus.Shard) -> String {
    shard.olderSince.map { "\(grouped(shard.olderUnits)) units since \($0.utcText(withMilliseconds: false))" } ?? ""
  }

  private static func lead(_ status: ClusterStatus?) -> String {
    guard let status else { return "How far the copy is can't be read: shipping.sqlite is damaged or in use." }
    return "\(progress(status)) This server is home \(status.home) there."
  }

  private static func progress(_ status: ClusterStatus) -> String {
    let retired = status.retiredRows == 0 ? "" : " \(grouped(status.retiredRows)) old rows are only on the cluster."
    let rows = "\(grouped(status.backlog)) rows are only on this server"
    if !status.problems.isEmpty {
      let reason = status.problem.map { " \(visible($0))" } ?? ""
      return "Copying is stopped or delayed; \(rows). Reports don't depend on the cluster.\(reason)\(retired)"
    }
    let older = status.olderUnits == 0 ? "" : " Rows that were deleted or replaced here are being deleted there."
    guard status.backlog > 0 else { return "Every row is on the ClickHouse cluster.\(older)\(retired)" }
    return "\(rows); new ones are sent within a minute. Reports don't depend on the cluster.\(older)\(retired)"
  }
}
