package import Reports
import Warehouse

/// The page about the disk usage.
package struct StoragePage: Page {
  let visit: PageVisit
  let report: StorageReport

  package init(_ visit: PageVisit, _ report: StorageReport) {
    (self.visit, self.report) = (visit, report)
  }

  package func html() -> String {
    let parts = report.parts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { part in
      TemplateValues.row([Self.partNames[part.key] ?? shown(part.key), byteText(part.value)])
    }
    let apps = zip(report.apps, report.lines).map { use, line in
      TemplateValues.row(
        line.map { shown($0) }, [["label": "Keep rows", "link": PortalLinks(app: use.app.id).page(.app)]])
    }
    return visit.management(
      ManagementPage(
        title: "Storage", lead: report.summary,
        tables: [
          .list("Apps", StorageReport.columns, apps, empty: "No apps yet."),
          .list("Parts", ["Part", "Size"], parts, empty: "Nothing is stored yet."),
        ]))
  }

  private static let partNames = [
    "rows": "Rows: every event as it arrived", "columns": "Columns: the rows again, for questions",
    "keys": "Keys that recognize duplicates", "warehouse": "Installs, users, errors and attachments",
    "counts": "Counts by day", "catalog": "Apps, users and settings", "symbols": "Symbols of crashes",
  ]
}
