// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
package import Tern
import TernEvents
package import TernMeasurement

/// The entry to the library: trackers, dispatch, switches. Use it from any thread.
///
/// Nothing is sent anywhere until ``collector`` is set, here, as `TernCollector` in Info.plist, or as the environment
/// variable `TERN_COLLECTOR`.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAI)
#endif
public final class GAI: NSObject, Sendable {
  private static let shared = GAI.live()
  private static let replacement = Locked<GAI?>(nil)

  package let engine: MeasurementClient
  let relay: LogRelay
  /// How long the end of the process may wait for the report of an exception to be sent.
  let patience: Duration
  let trackers = Locked(TrackerRegistry<any GAITracker>())
  let exceptions = Locked<(any ExceptionTracking)?>(nil)

  /// The one instance of the process.
  public class func sharedInstance() -> GAI! { replacement.withLock { $0 } ?? shared }

  /// Lets a test have an instance of its own.
  package static func replaceShared(with instance: GAI?) { replacement.withLock { $0 = instance } }

  /// Creates an instance in a world of the caller's.
  package init(
    directory: URL, collector: URL?, appName: String?, environment: TernClient.Environment,
    callback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, logger: (any GAILogger)? = nil,
    patience: Duration = .seconds(5)
  ) {
    self.patience = patience
    let relay = LogRelay(logger ?? StandardLogger())
    self.relay = relay
    engine = MeasurementClient(
      MeasurementClient.Configuration(
        directory: directory, collector: collector, appName: appName, callback: callback, log: relay.log),
      environment: environment)
  }

  /// The tracker that screens and crashes are recorded with: the first one made, unless the app says otherwise.
  public var defaultTracker: (any GAITracker)! {
    get { trackers.withLock { $0.defaultTracker } }
    set { trackers.withLock { $0.defaultTracker = newValue } }
  }

  /// Takes the library's lines; by default errors and warnings go to standard error.
  public var logger: (any GAILogger)! {
    get { relay.logger }
    set { relay.logger = newValue ?? StandardLogger() }
  }

  /// Whether the user does not want to be measured: false at first, then kept over launches.
  ///
  /// While it is true nothing is recorded. Setting it to true erases the hits that wait.
  public var optOut: Bool {
    get { engine.optOut }
    set { engine.optOut = newValue }
  }

  /// Seconds between two periodic dispatches; the default is 120, a value below 1 turns them off.
  ///
  /// Every assignment starts anew, also of the same value: it turns periodic dispatch on again after
  /// ``dispatch(completionHandler:)`` has turned it off.
  public var dispatchInterval: TimeInterval {
    get { engine.dispatchInterval }
    set { engine.dispatchInterval = newValue }
  }

  /// Whether periodic dispatch is on; not in the original.
  public var isDispatchingPeriodically: Bool { engine.isDispatchingPeriodically }

  /// Whether hits are only pretended to be sent; false by default.
  public var dryRun: Bool {
    get { engine.dryRun }
    set { engine.dryRun = newValue }
  }

  /// The address of a Tern collector, or of any other server of the Measurement Protocol; not in the original.
  ///
  /// There is no default. Until it is set hits are kept. The paths `/collect` and `/batch` are added to it.
  public var collector: URL? {
    get { engine.collector }
    set { engine.collector = newValue }
  }

  /// The screen in pixels, such as `750x1334`, sent with every hit (`sr`); not in the original.
  ///
  /// By default what the device says on Apple's systems, if this instance was first used on the main thread, and `nil`
  /// elsewhere: set it where you know it. A tracker's own `kGAIScreenResolution` goes before it.
  public var screenResolution: String! {
    get { engine.screenResolution }
    set { engine.screenResolution = newValue }
  }

  /// Sends all that waits; periodic dispatch stays as it is.
  public func dispatch() { engine.dispatch() }

  /// Sends one request and says what came of it; turns periodic dispatch off until ``dispatchInterval`` is assigned.
  ///
  /// The handler is called once, never before this returns; on the main queue on Apple's systems. `nil` means
  /// ``dispatch()``.
  public func dispatch(completionHandler: ((GAIDispatchResult) -> Void)!) {
    guard let completionHandler else { return engine.dispatch() }
    let handler = Handler(call: completionHandler)
    engine.dispatch { handler.call(GAIDispatchResult($0)) }
  }
}

/// A block of the app's on its way to the queue that calls it.
///
/// `@unchecked Sendable` as the original's blocks were: it is called once, by one thread at a time, and let go of.
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
