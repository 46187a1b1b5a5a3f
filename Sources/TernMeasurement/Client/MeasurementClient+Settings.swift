package import Foundation
import Tern
import TernBase
import TernDelivery
import TernEvents

extension MeasurementClient {
  /// The seconds between two periodic dispatches, as last assigned; below 1 there are none. The default is 120.
  package var dispatchInterval: Double {
    get { state.withLock { $0.interval } }
    set {
      let isOn = newValue.isFinite && newValue >= 1
      state.withLock { state in
        state.interval = newValue
        state.isDispatchingPeriodically = isOn
        // A century stands for anything longer, which could not be added to the time. Posted under the lock, so that
        // the last message reflects the last change.
        engine.mailbox.post(.input(.flushInterval(isOn ? .seconds(min(newValue, 3_155_760_000)) : nil)))
      }
      if newValue > 0, newValue < 1 { warnOnce("A dispatch interval below 1 s turns periodic dispatch off.") }
    }
  }

  /// True while periodic dispatch is on.
  package var isDispatchingPeriodically: Bool { state.withLock { $0.isDispatchingPeriodically } }

  /// True if hits are only taken from the queue and not sent; false at each launch.
  package var dryRun: Bool {
    get { codec.destination.withLock { $0.isDryRun } }
    set { setDestination { $0.isDryRun = newValue } }
  }

  /// The address that hits are sent to; `nil`: they wait.
  package var collector: URL? {
    get { codec.destination.withLock { $0.collector } }
    set {
      setDestination { $0.collector = newValue }
      complainUnlessUsable(newValue)
    }
  }

  /// The Google Analytics 4 property that hits are translated for; `nil`, the default: they are sent as they are.
  package var ga4: GA4Property? {
    get { codec.destination.withLock { $0.ga4 } }
    set { setDestination { $0.ga4 = newValue } }
  }

  private func setDestination(_ change: (inout Destination) -> Void) {
    codec.destination.withLock { change(&$0) }
    engine.setPaused(false, for: .noCollector)
  }

  /// Logs an error about an address that cannot be used.
  func complainUnlessUsable(_ collector: URL?) {
    guard let collector, !collector.isUsableCollector else { return }
    log(.error, "The collector's address \"\(collector.absoluteString)\" cannot be used; give an http or https URL.")
  }

  /// The user's opt-out: nothing is recorded, and waiting hits are erased. Kept over launches, and shared by the
  /// processes of an app.
  package var optOut: Bool {
    get {
      for input in engine.followSettings() { engine.mailbox.post(.input(input)) }
      return !engine.isEnabled
    }
    set {
      engine.setEnabled(!newValue)
      guard !engine.areSettingsSaved else { return }
      log(.error, "The opt-out couldn't be saved. It applies to this process; saving it is tried again.")
    }
  }
}
