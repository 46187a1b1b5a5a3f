public import Foundation
import Tern
import TernBase
package import TernEvents

/// Typed properties of an event: strings, numbers, Booleans and dates.
#if canImport(ObjectiveC)
  @objc(MSACEventProperties)
#endif
open class EventProperties: NSObject {
  /// Locked because apps may share one object between threads.
  private let values: Locked<[Properties.Element]>

  /// The properties in the order in which they were set.
  package var elements: [Properties.Element] { values.withLock { $0 } }

  /// Creates an empty object.
  public override init() { values = Locked([]) }

  /// Sets a string.
  @discardableResult
  public func setEventProperty(_ value: String, forKey key: String) -> Self { set(.string(value), key) }

  /// Sets a floating-point number; ignored unless it is finite.
  @discardableResult
  public func setEventProperty(_ value: Double, forKey key: String) -> Self {
    guard value.isFinite else { return refuse(key) }
    return set(.double(value), key)
  }

  /// Sets an integer.
  @discardableResult
  public func setEventProperty(_ value: Int64, forKey key: String) -> Self { set(.integer(value), key) }

  /// Sets a Boolean.
  @discardableResult
  public func setEventProperty(_ value: Bool, forKey key: String) -> Self { set(.boolean(value), key) }

  /// Sets a date; ignored unless it is finite.
  @discardableResult
  public func setEventProperty(_ value: Date, forKey key: String) -> Self {
    guard value.timeIntervalSince1970.isFinite else { return refuse(key) }
    return set(.date(Timestamp(value)), key)
  }

  private func refuse(_ key: String) -> Self {
    AppCenterCore.shared.logger.write(.error, .analytics, "The property \(key) is not finite and is ignored.")
    return self
  }

  /// Sets a value; the last one of a key wins, whatever its type.
  private func set(_ value: PropertyValue, _ key: String) -> Self {
    values.withLock { elements in
      if let index = elements.firstIndex(where: { $0.name == key }) {
        elements[index].value = value
      } else {
        elements.append(.init(name: key, value: value))
      }
    }
    return self
  }
}
