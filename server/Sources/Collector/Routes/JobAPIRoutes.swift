import HTTPTypes
import Hummingbird
import Questions
import Warehouse

/// `/api/v1/jobs`, and `/jobs` of an app: the work on stored rows that the server does in the background. The requests
/// that begin such work belong to the app, person or view concerned.
struct JobAPIRoutes: Sendable {
  let catalog: any CollectorCatalog

  func add(to routes: RouteTable) {
    for (path, right) in [("/api/v1", Permission.administer), ("/api/v1/apps/:app", .edit)] {
      routes.on("\(path)/jobs", [.get: .api(.permission(right)) { try list($0, $1) }])
      routes.on("\(path)/jobs/:job", [.get: .api(.permission(right)) { _, context in try job(context) }])
    }
  }

  private func list(_ request: Request, _ context: CollectorContext) throws -> Response {
    let page = try ListPage(request)
    let (jobs, next) = page.cut(
      try catalog.jobs(app: context.grant?.app?.id, before: page.before, limit: page.limit + 1), number: \.id)
    return .json(
      JSONTree.object([
        ("jobs", .array(jobs.map(\.tree))), ("next", next.map { .number(Double($0)) } ?? .null),
      ]).encoded)
  }

  private func job(_ context: CollectorContext) throws -> Response {
    let unknown = APIError(status: .notFound, code: "unknown_job", message: "There is no job with this number.")
    guard let job = try catalog.job(try context.number("job", else: unknown)) else { throw unknown }
    if let app = context.grant?.app?.id, job.app != app { throw unknown }
    return .json(job.tree.encoded)
  }
}

extension JobStatus {
  /// The job in the JSON of the API.
  var tree: JSONTree {
    .object([
      ("id", .number(Double(id))), ("kind", .text(kind)),
      ("app", app.map { .number(Double($0.rawValue)) } ?? .null), ("state", .text(state.rawValue)),
      ("text", .text(text)),
    ])
  }
}

extension Response {
  /// Creates the response to a request that has added a job.
  static func accepted(_ job: JobStatus) -> Response { .json(job.tree.encoded, status: .accepted) }
}
