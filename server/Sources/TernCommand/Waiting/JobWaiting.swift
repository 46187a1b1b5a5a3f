import TernServer
import Warehouse

/// The server on a directory, as a command sees it that waits for a job.
enum OtherServer: Equatable {
  /// No server has run since the command began.
  case none
  case running
  case ended(ContinuousClock.Instant)

  /// The time for which a server that has ended is waited for. One that was killed is about to be started again, and must
  /// find the directory free.
  static let patience: Duration = .seconds(20)

  /// Notes if a server runs now; returns true if it has ended since the last time.
  mutating func hasEnded(isServed: Bool, now: ContinuousClock.Instant) -> Bool {
    let wasRunning = self == .running
    if isServed { self = .running } else if wasRunning { self = .ended(now) }
    return wasRunning && !isServed
  }

  /// True if the command leaves the work to the server, or to the next one.
  func doesTheWork(now: ContinuousClock.Instant) -> Bool {
    switch self {
    case .none: false
    case .running: true
    case .ended(let time): now < time + Self.patience
    }
  }
}

/// The lines that a command prints while it waits for a job of a running server.
struct JobWaiting {
  /// The time between two lines, so that a log has few of them.
  static let interval: Duration = .seconds(5)
  /// The time before the first line: most jobs are done by then.
  static let patience: Duration = .seconds(1)
  /// The free bytes on the disk below which there is no room even to note why work waits.
  static let fullDiskBytes: Int64 = 16 << 20

  let job: DataJob
  let directory: String
  private var said: String?
  private var next: ContinuousClock.Instant?

  init(job: DataJob, directory: String) {
    self.job = job
    self.directory = directory
  }

  /// Returns a job in words.
  static func work(of job: DataJob) -> String {
    job.kind == .retireRows ? job.kind.rawValue : "\(job.kind.rawValue), app \(job.app)"
  }

  /// Returns a line to show, if there is something new to say.
  ///
  /// - Parameters:
  ///   - current: The job that the server does now: the first that doesn't wait until damage is mended, or the own one.
  ///   - progress: What was noted of that job.
  ///   - freeBytes: The free bytes on the disk; `nil` if they can't be determined.
  /// - Throws: ``ServerFailure`` if it waits for the operator.
  mutating func line(
    current: DataJob, progress: DataJob.Progress?, freeBytes: Int64?, now: ContinuousClock.Instant
  ) throws -> String? {
    if let progress, progress.obstacle == .damage { throw ServerFailure(progress.text) }
    var reason: String?
    if let progress, progress.obstacle == .disk {
      reason = progress.text
    } else if let freeBytes, freeBytes < Self.fullDiskBytes, let next, now >= next {
      reason = "Only \(freeBytes >> 10) KiB are free on the disk."
    }
    if let reason {
      throw ServerFailure(
        """
        \(reason) Make room: the server on \(directory) then does the work by itself, within a minute. \
        The command need not be repeated.
        """)
    }
    guard let time = next else {
      next = now + Self.patience
      return nil
    }
    guard now >= time else { return nil }
    let work = Self.work(of: current)
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
