import Answering
import HTTP
import Hummingbird
import JSON
import Warehouse

/// `/api/v1/jobs`, and `/jobs` of an app: the work on stored rows that the server does in the background. The requests
/// that begin such work belong to the app, person or view concerned.
struct JobEndpoints: Sendable {
  let catalog: any CollectorCatalog

  static let job = JSONAnswer("Job", JobStatus.members)

  func add(to api: EndpointGroup) {
    add(to: api.group("/jobs", .administer), "listJobs", "job", of: "all apps")
    add(to: api.group("/apps/:app/jobs", .edit), "listAppJobs", "appJob", of: "an app")
  }

  private func add(to jobs: EndpointGroup, _ list: String, _ one: String, of subject: String) {
    jobs.page(
      "", list, "The background jobs of \(subject), latest first. They are work on stored rows.", "jobs",
      of: Self.job, number: \.id
    ) { call, page in
      try catalog.jobs(app: call.context.grant?.app?.id, before: page.before, limit: page.limit + 1)
    }
    jobs.get("/:job", one, "A job's progress or result.", Self.job) { call in
      let unknown = APIError.unknown("job", "There is no job with this number.")
      guard let job = try catalog.job(try call.number("job", else: unknown)) else { throw unknown }
      if let app = call.context.grant?.app?.id, job.app != app { throw unknown }
      return job
    }
  }
}

extension Response {
  /// Creates the response to a request that has added a job.
  static func accepted(_ job: JobStatus) -> Response { JobEndpoints.job.accepted.response(job) }
}
