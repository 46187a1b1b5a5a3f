/// Keeps the process running for a while after the app has left the foreground.
///
/// Apple platforms use `SystemBackgroundActivity`. Systems that do not suspend processes need none.
public protocol BackgroundActivity: Sendable {
  /// Requests background time from the system.
  ///
  /// - Parameters:
  ///   - reason: The purpose of the activity, for developers.
  ///   - onExpiry: Called from any thread when the time is up, or if the system grants none.
  /// - Returns: A closure that ends the activity; it must be called exactly once, even after `onExpiry`.
  func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}
