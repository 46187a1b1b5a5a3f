import Answering
import HTTP
import HTTPTypes
import JSON
import Warehouse

/// `/api/v1/backups`: the regular backups, and requests for another one.
struct BackupEndpoints: Sendable {
  let control: (any BackupControl)?
  let reports: ReportScheduler

  private static let status = JSONAnswer("Backups", BackupStatus.members)

  func add(to api: EndpointGroup) {
    let backups = api.group("/backups", .administer)
    backups.get(
      "", "backups", "The regular backups, earliest first; 404 if the server makes none.", Self.status,
      errors: [404, 503]
    ) { try await status(try existing(), $0) }
    backups.on(
      .post, "", "createBackup",
      "Makes a backup now, in the background. Asking again before it is complete changes nothing.",
      Self.status.accepted, errors: [404, 503]
    ) { call in
      let control = try existing()
      control.request()
      return try await status(control, call)
    }
  }

  private func existing() throws(APIError) -> any BackupControl {
    guard let control else {
      throw APIError(
        status: .notFound, code: "no_backups",
        message: "This server makes no backups. Start it with --backup-to, or use `tern backup`.")
    }
    return control
  }

  /// Reads the status on a report thread, because the disk with the backups may be slow.
  private func status(_ control: any BackupControl, _ call: Call) async throws -> BackupStatus {
    try await reports.run(for: call.context.clientShare) { try control.status() }
  }
}
