import Foundation
import TernEvents
package import TernMeasurement

extension GAI {
  /// Whether uncaught exceptions of Objective-C are recorded with the ``defaultTracker``; false by default.
  ///
  /// The hit is stored first, then sent if that succeeds within 5 s, else at a later launch. The handler that was there
  /// before is called afterwards, and put back when this is set to false. Elsewhere than on Apple's systems there are no
  /// such exceptions.
  public var trackUncaughtExceptions: Bool {
    get { exceptions.withLock { $0?.isTracking ?? false } }
    set {
      #if canImport(Darwin)
        if newValue { trackExceptions { systemExceptionTracking(record: $0) } }
      #endif
      exceptions.withLock { $0?.isTracking = newValue }
    }
  }

  /// Says where exceptions come from; only the first time counts.
  package func trackExceptions(
    by make: (_ record: @escaping @Sendable (String) -> Void) -> any ExceptionTracking
  ) {
    exceptions.withLock { exceptions in
      guard exceptions == nil else { return }
      exceptions = make { [weak self] description in self?.caught(description) }
    }
  }

  private func caught(_ description: String) {
    guard let tracker = defaultTracker else { return }
    relay.log(.warning, "Uncaught exception: \(description)")
    let hit = GAIDictionaryBuilder.createException(withDescription: description, withFatal: true)
    tracker.send(hit?.parameters)
    engine.dispatchBeforeEnd(patience: patience)
  }
}
