import HTTPTypes
import Hummingbird
import Questions
import TernEvents
import Warehouse

/// `/api/v1/backups`: the regular backups, and requests for another one.
struct BackupAPIRoutes: Sendable {
  let control: (any BackupControl)?
  let reports: ReportScheduler

  func add(to routes: RouteTable) {
    let owner = Endpoint.Requirement.permission(.administer)
    routes.on(
      "/api/v1/backups",
      [
        .get: .api(owner) { _, context in try await status(context) },
        .post: .api(owner) { _, context in
          try existing().request()
          return try await status(context, .accepted)
        },
      ])
  }

  private func existing() throws(APIError) -> any BackupControl {
    guard let control else {
      throw APIError(
        status: .notFound, code: "no_backups",
        message: "This server makes no backups. Start it with --backup-to, or use `tern backup`.")
    }
    return control
  }

  private func status(_ context: CollectorContext, _ status: HTTPResponse.Status = .ok) async throws -> Response {
    let control = try existing()
    // On a report thread, because the disk with the backups may be slow.
    let backups = try await reports.run(for: context.clientShare) { try control.status() }
    return .json(Self.tree(backups).encoded, status: status)
  }

  private static func tree(_ status: BackupStatus) -> JSONTree {
    let backups = status.backups.map { backup in
      JSONTree.object([
        ("name", .text(backup.name)), ("created", .time(backup.created)), ("events", .number(Double(backup.events))),
      ])
    }
    return .object([
      ("everySeconds", .number(Double(status.interval.components.seconds))), ("kept", .number(Double(status.kept))),
      ("backups", .array(backups)), ("requested", .boolean(status.isRequested)),
      ("failure", status.failure.map { .text($0) } ?? .null),
    ])
  }
}
