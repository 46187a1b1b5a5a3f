package import Foundation
import Tern
import TernBase
import TernDelivery
import TernEvents

extension MeasurementClient {
  /// The interval of periodic dispatch in seconds; values below 1 turn it off. The default is 120.
  package var dispatchInterval: Double {
    get { state.withLock { $0.interval } }
    set {
      let isOn = newValue.isFinite && newValue >= 1
      state.withLock { state in
        state.interval = newValue
        state.isDispatchingPeriodically = isOn
        // Clamped to a century to prevent overflow. Post under the lock, so that the last message reflects the last
        // change.
        engine.mailbox.post(.input(.flushInterval(isOn ? .seconds(min(newValue, 3_155_760_000)) : nil)))
      }
      if newValue > 0, newValue < 1 { warnOnce("A dispatch interval below 1 s turns periodic dispatch off.") }
    }
  }

  /// True while periodic dispatch is on.
  package var isDispatchingPeriodically: Bool { state.withLock { $0.isDispatchingPeriodically } }

  /// True if hits are removed from the queue without being sent; not saved across launches.
  package var dryRun: Bool {
    get { codec.destination.withLock { $0.isDryRun } }
    set { setDestination { $0.isDryRun = newValue } }
  }

  /// The URL of the collector; while it is `nil`, hits wait.
  package var collector: URL? {
    get { codec.destination.withLock { $0.collector } }
    set {
      setDestination { $0.collector = newValue }
      complainUnlessUsable(newValue)
    }
  }

  /// The Google Analytics 4 property that hits are translated for; if `nil`, the default, they are sent unchanged.
  package var ga4: GA4Property? {
    get { codec.destination.withLock { $0.ga4 } }
    set { setDestination { $0.ga4 = newValue } }
  }

  private func setDestination(_ change: (inout Destination) -> Void) {
    codec.destination.withLock { change(&$0) }
    engine.setPaused(false, for: .noCollector)
  }

  /// Logs an error about a URL that is not usable.
  func complainUnlessUsable(_ collector: URL?) {
    guard let collector, !collector.isUsableCollector else { return }
    log(.error, "The collector's URL \"\(collector.absoluteString)\" is not usable. Use an http or https URL.")
  }

  /// The user's opt-out: nothing is recorded, and waiting hits are erased. Saved across launches and shared by all
  /// processes of an app.
  package var optOut: Bool {
    get {
      for input in engine.followSettings() { engine.mailbox.post(.input(input)) }
      return !engine.isEnabled
    }
    set {
      engine.setEnabled(!newValue)
      guard !engine.areSettingsSaved else { return }
      log(.error, "Couldn't save the opt-out. It applies to this process, and saving will be retried.")
    }
  }
}
