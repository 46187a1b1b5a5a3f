extension Optional {
  /// Returns the result of an asynchronous function of the value; `nil` without one.
  func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
    guard let self else { return nil }
    return try await transform(self)
  }
}
