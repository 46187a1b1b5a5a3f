/// The value of one event property.
public enum PropertyValue: Hashable, Sendable {
  /// Text.
  case string(String)
  /// An integer.
  case integer(Int64)
  /// A floating-point number; a value that is not finite is sent as text.
  case double(Double)
  /// True or false.
  case boolean(Bool)
  /// A point in time.
  case date(Timestamp)
}

extension PropertyValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  /// Creates text from a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an integer from a literal.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a floating-point number from a literal.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a Boolean from a literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// The properties of one event, in the given order.
///
/// An array of pairs rather than a dictionary: a literal of four properties costs a tenth of hashing them, and the
/// order is preserved up to the report. If a name is repeated, the last value is sent.
public struct Properties: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One property: its name and its value.
  public struct Element: Sendable, Hashable {
    /// The property's name.
    public var name: String
    /// The property's value.
    public var value: PropertyValue

    /// Creates a property.
    @inlinable
    public init(name: String, value: PropertyValue) {
      self.name = name
      self.value = value
    }
  }

  /// The properties in order; names may be repeated.
  public var elements: [Element]

  /// Creates properties from an ordered list.
  public init(_ elements: [Element] = []) {
    self.elements = elements
  }

  /// Creates properties from a dictionary, ordered by name so that the result does not depend on hashing.
  public init(_ dictionary: [String: any PropertyConvertible]) {
    elements = dictionary.map { Element(name: $0.key, value: $0.value.propertyValue) }.sorted { $0.name < $1.name }
  }

  /// Creates properties from a literal, in its order.
  ///
  /// ```swift
  /// ["Category": category, "Length": 12.5, "HD": isHD, "Added": Date()]
  /// ```
  @inlinable
  public init(dictionaryLiteral pairs: (String, any PropertyConvertible)...) {
    // Inlined, so that the compiler keeps the pairs on the stack. Each access to a pair copies it, so there is one.
    elements = pairs.withUnsafeBufferPointer { pairs in
      var elements: [Element] = []
      elements.reserveCapacity(pairs.count)
      for index in 0..<pairs.count {
        let (name, value) = pairs[index]
        elements.append(Element(name: name, value: value.propertyValue))
      }
      return elements
    }
  }

  /// The value of a property; if the name is repeated, the last one.
  public subscript(name: String) -> PropertyValue? {
    get { elements.last { $0.name == name }?.value }
    set {
      elements.removeAll { $0.name == name }
      if let newValue { elements.append(Element(name: name, value: newValue)) }
    }
  }

  /// True if there are no properties.
  public var isEmpty: Bool { elements.isEmpty }
}
