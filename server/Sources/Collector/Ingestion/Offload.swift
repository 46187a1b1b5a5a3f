import NIOPosix

/// Runs blocking or long work on a thread made for it, so that requests that need a moment only are not held up.
func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await NIOThreadPool.singleton.runIfActive(work)
}
