package import HTTP
package import Reports
package import Threads
package import Warehouse

/// Runs reports, or questions, a few at a time, so that they never occupy threads that ingestion needs.
package typealias ReportScheduler = FairScheduler<RequestOwner>

extension ReportScheduler {
  /// Creates a scheduler of reports or questions.
  package convenience init(
    _ queue: FairQueueLimits, _ limits: CollectorLimits, _ clocks: Clocks,
    executor: (any TaskExecutor)? = nil
  ) {
    self.init(
      queue, maximumWait: limits.maximumReportWait,
      refusal: APIError.tooManyReports(retryAfterSeconds: limits.retryAfterSeconds), executor: executor,
      uptime: clocks.uptime, sleep: clocks.sleep)
  }

  /// Runs a report when it is the client's turn; throws ``APIError`` 503 if its turn doesn't come within
  /// ``CollectorLimits/maximumReportWait``.
  package func run<Value: Sendable>(
    for client: String, _ report: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(for: [.client(client)], report)
  }

  /// Runs a report when it is the client's turn. A filtered one does not need a turn, because each of its questions waits
  /// for its own: it would only hold up the others.
  package func run<Value: Sendable>(
    _ request: ReportRequest, for client: String, _ report: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    request.asksQuestions ? try await runNow(report) : try await run(for: client, report)
  }
}
