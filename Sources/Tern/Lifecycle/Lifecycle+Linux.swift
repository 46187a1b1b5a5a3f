#if !canImport(Darwin)
  /// Does nothing: Linux has no lifecycle notifications. The app can report transitions itself and use
  /// `flushOnTermination` for signals.
  final class LifecycleObserver: Sendable {
    init(_ client: TernClient) {}
  }
#endif
