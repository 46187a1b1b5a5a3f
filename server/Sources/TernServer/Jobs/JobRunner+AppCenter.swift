import AppCatalog
import Ingest
import Reports
package import Warehouse
import WarehouseSQLite
package import WarehouseUpkeep

extension JobRunner {
  /// Imports a file or folder of App Center's continuous export.
  package func importAppCenter(_ job: DataJob, to app: App) async throws -> String {
    let secret = try catalog.duplicateSecret()
    var summary = AppCenterImportSummary()
    var source: String?
    var noted = ContinuousClock.now
    let files = try ImportFile.all(at: job.argument)
    for (number, path) in files.enumerated() {
      let file = try ImportFile(path)
      let folder = job.argument + "/"
      let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
      try await warehouse.importAppCenter(
        AppCenterLogFile(name: name) { try file.read() }, to: app, source: &source,
        key: DuplicateHashKey(secret.0, secret.1), summary: &summary)
      guard .now - noted >= .seconds(1) else { continue }
      noted = .now
      try? catalog.note(
        DataJob.Progress(text: "\(grouped(number + 1)) of \(counted(files.count, "file")) done."), ofJob: job.id)
    }
    try await warehouse.flush()
    return summary.text(app: app, files: files.count)
  }
}

extension AppCenterImportSummary {
  /// The result in words.
  package func text(app: App, files: Int) -> String {
    var text = "Imported \(counted(rows, "row")) from \(counted(files, "file")) into app \(app.id)"
    if duplicates > 0 { text += "; \(grouped(duplicates)) were stored already" }
    text += "."
    if !others.isEmpty {
      let types = others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      text += " Left out: \(types.map { "\(grouped($0.value)) \(visible($0.key))" }.joined(separator: ", "))."
    }
    if faulty > 0 {
      text += " \(counted(faulty, "log")) can't be imported:"
      for fault in faults { text += "\n  \(visible(fault))" }
      if faulty > faults.count { text += "\n  and \(grouped(faulty - faults.count)) more" }
    }
    return text
  }
}
