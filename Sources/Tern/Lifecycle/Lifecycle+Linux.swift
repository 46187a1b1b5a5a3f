#if !canImport(Darwin)
  /// There is nothing to observe here: the app calls `didEnterBackground` and `willEnterForeground` if it wants to, and
  /// `flushOnTermination` for signals.
  final class LifecycleObserver: Sendable {
    init(_ client: TernClient) {}
  }
#endif
