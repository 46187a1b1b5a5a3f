// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

/// Records hits for one property. Thread-safe; no call blocks.
#if canImport(ObjectiveC)
  @objc(GAITracker)
#endif
public protocol GAITracker: NSObjectProtocol {
  /// The tracker's name.
  var name: String! { get }
  /// Sends an advertising identifier that the app sets when true; false by default. It is never looked up.
  var allowIDFACollection: Bool { get set }
  /// Sets a parameter for all later hits; `nil` clears it.
  func set(_ parameterName: String!, value: String!)
  /// The value of a parameter, or `nil` if it has none.
  func get(_ parameterName: String!) -> String!
  /// Records a hit. Its own parameters override the tracker's for this hit.
  func send(_ parameters: [AnyHashable: Any]!)
}

/// A tracker that forwards to the engine.
final class EngineTracker: NSObject, GAITracker, Sendable {
  private let tracker: MeasurementTracker

  init(_ tracker: MeasurementTracker) { self.tracker = tracker }

  var name: String! { tracker.name }

  var allowIDFACollection: Bool {
    get { tracker.allowsAdvertisingID }
    set { tracker.allowsAdvertisingID = newValue }
  }

  func set(_ parameterName: String!, value: String!) {
    if let parameterName { tracker[parameterName] = value }
  }

  func get(_ parameterName: String!) -> String! { parameterName.flatMap { tracker[$0] } }

  func send(_ parameters: [AnyHashable: Any]!) { tracker.send(anything: parameters ?? [:]) }
}
