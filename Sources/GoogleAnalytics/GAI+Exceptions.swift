import Foundation
import TernBase
import TernEvents
package import TernMeasurement

extension GAI {
  /// Records uncaught Objective-C exceptions with the ``defaultTracker`` when true; false by default.
  ///
  /// The hit is stored first and sent within 5 s if possible, else at a later launch. The previously installed handler is
  /// called afterwards, and restored when this is set to false. Only Apple's systems have
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

  /// Sets the source of exceptions; only the first call counts.
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
    engine.dispatchBeforeEnd(timeout: exceptionTimeout)
  }
}
