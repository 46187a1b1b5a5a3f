package import Foundation
import Tern
import TernEvents
import TernLog

extension StateFiles {
  private static let optOutName = "opt-out"

  /// Whether the user does not want to be measured.
  var isOptedOut: Bool { (try? read(Self.optOutName)) == Array("1".utf8) }

  /// Writes the user's wish down; false when the disk refuses.
  func save(isOptedOut: Bool) -> Bool {
    (try? replace(Self.optOutName, with: Array((isOptedOut ? "1" : "0").utf8), isFlushed: isOptedOut)) != nil
  }
}

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

  /// Whether the user does not want to be measured: nothing is recorded, and what waited is erased. Kept over launches.
  package var optOut: Bool {
    get { state.withLock { $0.isOptedOut } }
    set {
      let isWritten = state.withLock { state -> Bool in
        guard state.isOptedOut != newValue else { return true }
        let isWritten = state.files.save(isOptedOut: newValue)
        state.isOptedOut = newValue
        if newValue { store.log.erase() }
        feed(.optOutSet(newValue), &state)
        return isWritten
      }
      if !isWritten { log(.error, "The opt-out could not be written down; set it again at the next launch.") }
    }
  }

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
