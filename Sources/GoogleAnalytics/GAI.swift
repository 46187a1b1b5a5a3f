// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
package import Tern
import TernBase
import TernEvents
package import TernMeasurement

/// The entry point of the library: trackers, dispatch, settings. Thread-safe.
///
/// Nothing is sent until ``collector`` is set: here, as `TernCollector` in Info.plist, or in the environment
/// variable `TERN_COLLECTOR`.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAI)
#endif
public final class GAI: NSObject, Sendable {
  private static let shared = GAI.live()
  private static let replacement = Locked<GAI?>(nil)

  package let engine: MeasurementClient
  let relay: LogRelay
  /// The longest time that a crashing process waits for its exception report to be sent.
  let exceptionTimeout: Duration
  let trackers = Locked(TrackerRegistry<any GAITracker>())
  let exceptions = Locked<(any ExceptionTracking)?>(nil)

  /// The shared instance.
  public class func sharedInstance() -> GAI! { replacement.withLock { $0 } ?? shared }

  /// Replaces the shared instance, for tests.
  package static func replaceShared(with instance: GAI?) { replacement.withLock { $0 = instance } }

  /// Creates an instance with a custom environment.
  package init(
    directory: URL, collector: URL?, appName: String?, environment: TernClient.Environment,
    callback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, logger: (any GAILogger)? = nil,
    exceptionTimeout: Duration = .seconds(5)
  ) {
    self.exceptionTimeout = exceptionTimeout
    let relay = LogRelay(logger ?? StandardLogger())
    self.relay = relay
    engine = MeasurementClient(
      MeasurementClient.Configuration(
        directory: directory, collector: collector, appName: appName, callback: callback, log: relay.log),
      environment: environment)
  }

  /// The tracker for screens and crashes: the first one created, unless the app sets another.
  public var defaultTracker: (any GAITracker)! {
    get { trackers.withLock { $0.defaultTracker } }
    set { trackers.withLock { $0.defaultTracker = newValue } }
  }

  /// Receives log messages; by default errors and warnings go to standard error.
  public var logger: (any GAILogger)! {
    get { relay.logger }
    set { relay.logger = newValue ?? StandardLogger() }
  }

  /// True if the user has opted out; false at first, and kept across launches.
  ///
  /// While it is true, nothing is recorded. Setting it to true erases all waiting hits.
  public var optOut: Bool {
    get { engine.optOut }
    set { engine.optOut = newValue }
  }

  /// Seconds between periodic dispatches. Default: 120; a value below 1 turns them off.
  ///
  /// Every assignment restarts periodic dispatch, even of the same value, and turns it on again after
  /// ``dispatch(completionHandler:)`` has turned it off.
  public var dispatchInterval: TimeInterval {
    get { engine.dispatchInterval }
    set { engine.dispatchInterval = newValue }
  }

  /// True while periodic dispatch is on; not in the original.
  public var isDispatchingPeriodically: Bool { engine.isDispatchingPeriodically }

  /// Discards hits instead of sending them when true; false by default.
  public var dryRun: Bool {
    get { engine.dryRun }
    set { engine.dryRun = newValue }
  }

  /// The address of a Tern collector, or of any other server of the Measurement Protocol; not in the original.
  ///
  /// There is no default; until it is set, hits are kept. `/collect` and `/batch` are appended to its path.
  public var collector: URL? {
    get { engine.collector }
    set { engine.collector = newValue }
  }

  /// The screen size in pixels, such as `750x1334`, sent with every hit (`sr`); not in the original.
  ///
  /// On Apple's systems the default is the device's own, if this instance is first used on the main thread; elsewhere it
  /// is `nil`. A tracker's own `kGAIScreenResolution` takes precedence.
  public var screenResolution: String! {
    get { engine.screenResolution }
    set { engine.screenResolution = newValue }
  }

  /// Sends all waiting hits; periodic dispatch stays as it is.
  public func dispatch() { engine.dispatch() }

  /// Sends one request and reports its result; turns periodic dispatch off until ``dispatchInterval`` is assigned.
  ///
  /// The handler is called once, after this method returns, on Apple's systems on the main queue. Passing `nil` equals
  /// ``dispatch()``.
  public func dispatch(completionHandler: ((GAIDispatchResult) -> Void)!) {
    guard let completionHandler else { return engine.dispatch() }
    let handler = Handler(call: completionHandler)
    engine.dispatch { handler.call(GAIDispatchResult($0)) }
  }
}

/// A callback of the app, for the queue that calls it.
///
/// `@unchecked Sendable`, like the original's blocks: one thread calls it once and releases it.
struct Handler: @unchecked Sendable {
  let call: (GAIDispatchResult) -> Void
}

extension GAIDispatchResult {
  init(_ result: DispatchMachine.Result) {
    switch result {
    case .noData: self = .noData
    case .good: self = .good
    case .error: self = .error
    }
  }
}
