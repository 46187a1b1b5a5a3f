import NIOCore

/// Runs the tasks of a connection on the thread that reads and writes its bytes.
///
/// A task on one of Swift's own threads is woken for each piece of a body and for each answer, and wakes the connection's
/// thread to send it. That costs more than what is done for a batch of events.
final class ConnectionThread: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
