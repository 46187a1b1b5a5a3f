package import Foundation
import Tern
import TernEvents

extension MeasurementClient {
  /// Seconds between two periodic dispatches, as last assigned; below 1 there are none. The default is 120.
  package var dispatchInterval: Double {
    get { state.withLock { $0.machine.interval } }
    set {
      feed(.intervalSet(seconds: newValue))
      if newValue > 0, newValue < 1 { warnOnce("A dispatch interval below 1 s turns periodic dispatch off.") }
    }
  }

  /// Whether periodic dispatch is on.
  package var isDispatchingPeriodically: Bool { state.withLock { $0.machine.isArmed } }

  /// Whether hits are only pretended to be sent; false at each launch.
  package var dryRun: Bool {
    get { state.withLock { $0.isDryRun } }
    set {
      state.withLock { state in
        state.isDryRun = newValue
        feed(.dryRunSet(newValue), &state)
      }
    }
  }

  /// Where hits go; `nil`: nowhere yet, and they wait.
  package var collector: URL? {
    get { state.withLock { $0.destination.collector } }
    set { setDestination { $0.collector = newValue } }
  }

  /// Set: hits are translated for a property of Google Analytics 4; `nil`, the default: they go as they are.
  package var ga4: GA4Property? {
    get { state.withLock { $0.destination.ga4 } }
    set { setDestination { $0.ga4 = newValue } }
  }

  func setDestination(_ change: (inout Destination) -> Void) {
    let destination = state.withLock { state in
      change(&state.destination)
      feed(.destinationSet(state.destination.isUsable), &state)
      return state.destination
    }
    complainUnlessUsable(destination.collector)
  }

  /// Says that nothing can be sent to an address that was given.
  func complainUnlessUsable(_ collector: URL?) {
    guard let collector, !collector.isUsableCollector else { return }
    log(.error, "The collector's address \"\(collector.absoluteString)\" cannot be used; give an http or https URL.")
  }
}
