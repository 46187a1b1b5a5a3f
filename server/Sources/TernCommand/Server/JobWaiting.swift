import Warehouse

/// What a command says while it waits for a job that a running server does.
struct JobWaiting {
  /// The time between two lines, so that a log has few of them.
  static let interval: Duration = .seconds(5)
  /// The time before the first line: most jobs are done by then.
  static let patience: Duration = .seconds(1)

  let job: DataJob
  let directory: String
  private var said: String?
  private var next: ContinuousClock.Instant?

  init(job: DataJob, directory: String) {
    self.job = job
    self.directory = directory
  }

  /// Returns a line to show, if there is something new to say.
  ///
  /// - Parameters:
  ///   - current: The job that the server does now; jobs are done in order.
  ///   - progress: What was noted of that job.
  /// - Throws: ``CommandFailure`` if it waits for someone to make room on the disk.
  mutating func line(
    current: DataJob, progress: DataJob.Progress?, now: ContinuousClock.Instant
  ) throws -> String? {
    if let progress, progress.isBlocked {
      throw CommandFailure(
        """
        \(progress.text) Make room: the server on \(directory) then does the work by itself, within a minute. \
        The command need not be repeated.
        """)
    }
    guard let time = next else {
      next = now + Self.patience
      return nil
    }
    guard now >= time else { return nil }
    let work = "\(current.kind.rawValue), app \(current.app)"
    var line =
      current.id == job.id
      ? "Waiting for the server on \(directory): \(work)."
      : "Waiting for the server on \(directory), which does earlier work first: \(work)."
    if let progress { line += " \(progress.text)" }
    guard line != said else { return nil }
    said = line
    next = now + Self.interval
    return line
  }
}
