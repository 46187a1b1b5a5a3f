/// A way to keep the process running for a while after its app left the foreground.
///
/// `SystemBackgroundActivity` is the usual one on Apple's systems. Where the system suspends nothing, none is needed.
public protocol BackgroundActivity: Sendable {
  /// Asks the system for time.
  ///
  /// - Parameters:
  ///   - reason: What the time is for, in words for a developer.
  ///   - onExpiry: Called from any thread when the system wants the time back, or grants none.
  /// - Returns: Gives the time back; has to be called exactly once, after `onExpiry` too.
  func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}
