public import Foundation
import Tern
package import TernEvents

/// Properties of an event that are text, numbers, truth values and dates.
#if canImport(ObjectiveC)
  @objc(MSACEventProperties)
#endif
open class EventProperties: NSObject, NSSecureCoding {
  /// Apps share one object between threads, which has always been allowed.
  private let values: Locked<[Properties.Element]>

  /// In the order in which they were set.
  package var elements: [Properties.Element] { values.withLock { $0 } }

  /// Creates properties without any.
  public override init() { values = Locked([]) }

  init(_ elements: [Properties.Element]) { values = Locked(elements) }

  /// Sets a text.
  @discardableResult
  public func setEventProperty(_ value: String, forKey key: String) -> Self { set(.string(value), key) }

  /// Sets a number with a fraction; one that is not finite is ignored.
  @discardableResult
  public func setEventProperty(_ value: Double, forKey key: String) -> Self {
    guard value.isFinite else { return refuse(key) }
    return set(.double(value), key)
  }

  /// Sets a whole number.
  @discardableResult
  public func setEventProperty(_ value: Int64, forKey key: String) -> Self { set(.integer(value), key) }

  /// Sets a truth value.
  @discardableResult
  public func setEventProperty(_ value: Bool, forKey key: String) -> Self { set(.boolean(value), key) }

  /// Sets a point in time; one that is not finite is ignored.
  @discardableResult
  public func setEventProperty(_ value: Date, forKey key: String) -> Self {
    guard value.timeIntervalSince1970.isFinite else { return refuse(key) }
    return set(.date(Timestamp(value)), key)
  }

  private func refuse(_ key: String) -> Self {
    AppCenterCore.shared.logBook.write(.error, .analytics, "The property \(key) is not finite and is ignored.")
    return self
  }

  /// The last value of a key counts, whatever its type.
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

  // MARK: Coding

  /// Coding is safe.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the properties.
  open func encode(with coder: NSCoder) {
    let elements = elements
    coder.encode(elements.map(\.name) as NSArray, forKey: "names")
    coder.encode(elements.map(\.value.coded) as NSArray, forKey: "values")
  }

  /// Reads properties.
  public required init?(coder: NSCoder) {
    let allowed = [NSArray.self, NSString.self, NSNumber.self, NSDate.self] as [AnyClass]
    guard let names = coder.decodeObject(of: allowed, forKey: "names") as? [String],
      let values = coder.decodeObject(of: allowed, forKey: "values") as? [String], names.count == values.count
    else { return nil }
    self.values = Locked(
      zip(names, values).compactMap { name, text in
        PropertyValue(coded: text).map { .init(name: name, value: $0) }
      })
  }
}

extension PropertyValue {
  /// A letter for the type, and the value.
  fileprivate var coded: String {
    switch self {
    case .string(let text): "s" + text
    case .integer(let number): "i\(number)"
    case .double(let number): "d\(number)"
    case .boolean(let flag): flag ? "b1" : "b0"
    case .date(let time): "t\(time.millisecondsSince1970)"
    }
  }

  fileprivate init?(coded: String) {
    let text = String(coded.dropFirst())
    switch coded.first {
    case "s": self = .string(text)
    case "i": guard let number = Int64(text) else { return nil }; self = .integer(number)
    case "d": guard let number = Double(text), number.isFinite else { return nil }; self = .double(number)
    case "b": self = .boolean(text == "1")
    case "t":
      guard let number = Int64(text) else { return nil }
      self = .date(Timestamp(millisecondsSince1970: number))
    default: return nil
    }
  }
}
