public import AppCenter
public import Foundation
import TernBase
import TernEvents

extension Analytics {
  /// A transmission target of One Collector; its events become ordinary events.
  @available(*, deprecated, message: "One Collector no longer exists: use Analytics.trackEvent.")
  public class func transmissionTarget(forToken token: String) -> AnalyticsTransmissionTarget {
    AnalyticsTransmissionTarget.of(token, parent: nil)
  }
}

/// A transmission target of One Collector; its events become ordinary events.
@available(*, deprecated, message: "One Collector no longer exists: use Analytics.trackEvent.")
#if canImport(ObjectiveC)
  @objc(MSACAnalyticsTransmissionTarget)
#endif
public final class AnalyticsTransmissionTarget: NSObject, Sendable {
  /// The targets by token.
  private static let known = Locked<[String: AnalyticsTransmissionTarget]>([:])

  private let token: String
  private let parent: AnalyticsTransmissionTarget?
  private let isOn = Locked(true)

  /// The properties of all events of the target.
  public let propertyConfigurator = PropertyConfigurator()

  private init(_ token: String, _ parent: AnalyticsTransmissionTarget?) {
    self.token = token
    self.parent = parent
  }

  static func of(_ token: String, parent: AnalyticsTransmissionTarget?) -> AnalyticsTransmissionTarget {
    let key = parent.map { $0.token + "/" + token } ?? token
    return known.withLock { known in
      if let target = known[key] { return target }
      let target = AnalyticsTransmissionTarget(key, parent)
      known[key] = target
      return target
    }
  }

  /// True while the target's events are recorded; false while its parent or Analytics is off. Not kept across launches.
  public var enabled: Bool {
    get { isOn.withLock { $0 } && parent?.enabled ?? true && Analytics.enabled }
    set { isOn.withLock { $0 = newValue } }
  }

  /// Records an event.
  public func trackEvent(_ eventName: String) { track(eventName, [], .normal) }

  /// Records an event with properties.
  public func trackEvent(_ eventName: String, withProperties properties: [String: String]?) {
    trackEvent(eventName, withProperties: properties, flags: .normal)
  }

  /// Records an event with properties and a priority.
  public func trackEvent(_ eventName: String, withProperties properties: [String: String]?, flags: Flags) {
    let elements = (properties ?? [:]).map { Properties.Element(name: $0.key, value: .string($0.value)) }
    track(eventName, elements.sorted { $0.name < $1.name }, flags)
  }

  /// Records an event with typed properties.
  @_disfavoredOverload
  public func trackEvent(_ eventName: String, withProperties properties: EventProperties?) {
    track(eventName, properties?.elements ?? [], .normal)
  }

  /// Records an event with typed properties and a priority.
  @_disfavoredOverload
  public func trackEvent(_ eventName: String, withProperties properties: EventProperties?, flags: Flags) {
    track(eventName, properties?.elements ?? [], flags)
  }

  /// Returns a child target.
  public func transmissionTarget(forToken token: String) -> AnalyticsTransmissionTarget {
    Self.of(token, parent: self)
  }

  /// Does nothing: only all sending can be paused, by `Analytics.pause()`.
  public func pause() {}

  /// Does nothing.
  public func resume() {}

  /// Does nothing: tickets are no longer used.
  public class func addAuthenticationProvider(authenticationProvider: AnalyticsAuthenticationProvider) {}

  private func track(_ name: String, _ own: [Properties.Element], _ flags: Flags) {
    guard enabled else { return }
    // The nearest value wins: the event's, then the target's, then its parent's.
    var elements = own
    var target: AnalyticsTransmissionTarget? = self
    while let next = target {
      for element in next.propertyConfigurator.elements where !elements.contains(where: { $0.name == element.name }) {
        elements.append(element)
      }
      target = next.parent
    }
    AppCenterCore.shared.track(name, flags, Analytics.traits) { EventRules.properties(elements, &$0) }
  }
}

/// Sets properties of all events of a target.
@available(*, deprecated, message: "One Collector no longer exists: pass properties with each event.")
#if canImport(ObjectiveC)
  @objc(MSACPropertyConfigurator)
#endif
public final class PropertyConfigurator: NSObject, Sendable {
  private let facts = Locked<[String: String]>([:])
  private let properties = Locked<[Properties.Element]>([])

  /// Stored but not sent: the device's properties have it.
  public var appVersion: String? {
    get { facts.withLock { $0["appVersion"] } }
    set { facts.withLock { $0["appVersion"] = newValue } }
  }
  /// Stored but not sent: the device's properties have it.
  public var appName: String? {
    get { facts.withLock { $0["appName"] } }
    set { facts.withLock { $0["appName"] = newValue } }
  }
  /// Stored but not sent: the device's properties have it.
  public var appLocale: String? {
    get { facts.withLock { $0["appLocale"] } }
    set { facts.withLock { $0["appLocale"] = newValue } }
  }
  /// Stored but not sent: `AppCenter.userId` names the user.
  public var userId: String? {
    get { facts.withLock { $0["userId"] } }
    set { facts.withLock { $0["userId"] = newValue } }
  }

  var elements: [Properties.Element] { properties.withLock { $0 } }

  /// Sets a string.
  public func setEventProperty(_ value: String, forKey key: String) {
    set(EventProperties().setEventProperty(value, forKey: key))
  }
  /// Sets a floating-point number.
  public func setEventProperty(_ value: Double, forKey key: String) {
    set(EventProperties().setEventProperty(value, forKey: key))
  }
  /// Sets an integer.
  public func setEventProperty(_ value: Int64, forKey key: String) {
    set(EventProperties().setEventProperty(value, forKey: key))
  }
  /// Sets a Boolean.
  public func setEventProperty(_ value: Bool, forKey key: String) {
    set(EventProperties().setEventProperty(value, forKey: key))
  }
  /// Sets a date.
  public func setEventProperty(_ value: Date, forKey key: String) {
    set(EventProperties().setEventProperty(value, forKey: key))
  }

  /// Removes a property.
  public func removeEventProperty(forKey key: String) {
    properties.withLock { $0.removeAll { $0.name == key } }
  }

  /// Does nothing: devices are not identified beyond the installation.
  public func collectDeviceId() {}

  private func set(_ new: EventProperties) {
    let elements = new.elements
    properties.withLock { properties in
      for element in elements {
        properties.removeAll { $0.name == element.name }
        properties.append(element)
      }
    }
  }
}

/// Kinds of tickets of One Collector.
@available(*, deprecated, message: "One Collector no longer exists.")
#if canImport(ObjectiveC)
  @objc(MSACAnalyticsAuthenticationType)
#endif
public enum AnalyticsAuthenticationType: UInt, Sendable {
  /// A compact ticket.
  case msaCompact
  /// A delegated ticket.
  case msaDelegate
}

/// Receives a ticket and its expiry date.
@available(*, deprecated, message: "One Collector no longer exists.")
public typealias AnalyticsAuthenticationProviderCompletionBlock = (String?, Date?) -> Void

/// Provides tickets of One Collector, which are no longer used.
@available(*, deprecated, message: "One Collector no longer exists.")
#if canImport(ObjectiveC)
  @objc(MSACAnalyticsAuthenticationProviderDelegate)
#endif
public protocol AnalyticsAuthenticationProviderDelegate: NSObjectProtocol {
  /// Provides a ticket.
  func authenticationProvider(
    _ authenticationProvider: AnalyticsAuthenticationProvider,
    acquireTokenWithCompletionHandler completionHandler: @escaping AnalyticsAuthenticationProviderCompletionBlock)
}

/// A provider of One Collector tickets, which are no longer used.
@available(*, deprecated, message: "One Collector no longer exists.")
#if canImport(ObjectiveC)
  @objcMembers@objc(MSACAnalyticsAuthenticationProvider)
#endif
public final class AnalyticsAuthenticationProvider: NSObject {
  /// The kind of ticket.
  public let type: AnalyticsAuthenticationType
  /// The key of the ticket.
  public let ticketKey: String
  /// The key itself: it is not hashed because it is not sent.
  public var ticketKeyHash: String { ticketKey }
  /// The source of the tickets.
  public private(set) weak var delegate: (any AnalyticsAuthenticationProviderDelegate)?

  /// Creates a provider.
  public init(
    authenticationType type: AnalyticsAuthenticationType, ticketKey: String,
    delegate: any AnalyticsAuthenticationProviderDelegate
  ) {
    self.type = type
    self.ticketKey = ticketKey
    self.delegate = delegate
  }

  /// Does nothing.
  public func checkTokenExpiry() {}
}
