/// A value from another server that many requests need. It is fetched once for all that wait, and kept for a while.
actor SharedFetch<Value: Sendable> {
  /// The pause after a failure, because anyone can begin a sign-in and so cause a request.
  static var pause: Duration { .seconds(5) }

  private let uptime: @Sendable () -> Duration
  private let fetch: @Sendable () async throws(SignOnError) -> Value
  private var last: (result: Result<Value, SignOnError>, time: Duration)?
  private var pending: Task<Result<Value, SignOnError>, Never>?

  init(uptime: @escaping @Sendable () -> Duration, _ fetch: @escaping @Sendable () async throws(SignOnError) -> Value) {
    (self.uptime, self.fetch) = (uptime, fetch)
  }

  /// Returns a value that isn't older than `age`.
  func value(notOlderThan age: Duration) async throws(SignOnError) -> Value {
    if let last {
      let elapsed = uptime() - last.time
      switch last.result {
      case .success(let value) where elapsed < age: return value
      case .failure(let error) where elapsed < Self.pause: throw error
      default: break
      }
    }
    return try await (pending ?? start()).value.get()
  }

  private func start() -> Task<Result<Value, SignOnError>, Never> {
    // Not a child task: the request that began it may be cancelled while others wait.
    let task = Task { () -> Result<Value, SignOnError> in
      let result: Result<Value, SignOnError>
      do throws(SignOnError) { result = .success(try await fetch()) } catch { result = .failure(error) }
      last = (result, uptime())
      pending = nil
      return result
    }
    pending = task
    return task
  }
}
