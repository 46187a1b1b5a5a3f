import Questions
package import Reports
package import Warehouse

extension PortalPages {
  /// The short address of a dashboard with a filter.
  package static func address(of dashboard: Int64, _ filter: ReportFilter, app: AppID) -> String {
    var links = PortalLinks(app: app)
    links.filter = filter
    return links.filtered(links.dashboard(dashboard))
  }

  /// The form that filters all cards of a dashboard.
  func filterBar(_ dashboard: Dashboard, _ links: PortalLinks) -> Builder {
    Builder(
      action: links.dashboard(dashboard.id), links: links, filters: FilterRows(json: links.filter.json),
      segment: segmentField(links.filter.segment?.description),
      faults: faults(links.filter).merging(hints(links.filter)) { fault, _ in fault },
      saving: reader.canEdit ? links.page(.segments) : nil
    ) { filters in
      var links = links
      links.filter.json = filters.json
      return links.filtered(links.dashboard(dashboard.id))
    }
  }
}
