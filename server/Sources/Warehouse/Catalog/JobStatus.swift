/// The state of a job, for people and programs.
package struct JobStatus: Sendable, Hashable {
  package enum State: String, Sendable, CaseIterable {
    /// The work waits or is being done.
    case pending
    /// The work can't go on until the operator makes room on the disk, or has damage mended.
    case blocked
    /// The work is done.
    case done
    /// The work has failed, and is not tried again.
    case failed
  }

  /// The number of the job.
  package var id: Int64
  /// The kind of work, as stored. A newer version may have written one that this version doesn't know.
  package var kind: String
  /// The app whose data is concerned; `nil` for all.
  package var app: AppID?
  package var state: State
  /// The progress or the result in words; empty if nothing was noted.
  package var text: String

  package init(id: Int64, kind: String, app: AppID?, state: State, text: String = "") {
    (self.id, self.kind, self.app, self.state, self.text) = (id, kind, app, state, text)
  }

  /// Creates the status of a job that was just added.
  package init(_ job: DataJob) {
    self.init(id: job.id, kind: job.kind.rawValue, app: job.app.rawValue == 0 ? nil : job.app, state: .pending)
  }
}
