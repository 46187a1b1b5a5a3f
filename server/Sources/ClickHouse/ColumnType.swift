/// The type of a column, as far as Tern's tables and queries have it.
package enum ColumnType: Hashable, Sendable, CustomStringConvertible {
  case one(Scalar)
  /// Any number of values in each row.
  case array(Scalar)

  package enum Scalar: String, Hashable, Sendable, CaseIterable {
    case uint8 = "UInt8"
    case uint16 = "UInt16"
    case uint32 = "UInt32"
    case uint64 = "UInt64"
    case int8 = "Int8"
    case int16 = "Int16"
    case int32 = "Int32"
    case int64 = "Int64"
    case float64 = "Float64"
    /// Days since 1970, up to 2149.
    case date = "Date"
    /// Seconds since 1970, up to 2106.
    case dateTime = "DateTime"
    /// Any bytes.
    case string = "String"

    /// The bytes of a value; `nil` for strings, whose length varies.
    var width: Int? {
      switch self {
      case .uint8, .int8: 1
      case .uint16, .int16, .date: 2
      case .uint32, .int32, .dateTime: 4
      case .uint64, .int64, .float64: 8
      case .string: nil
      }
    }

    /// True if the highest bit of a value is its sign.
    var isSigned: Bool { [.int8, .int16, .int32, .int64].contains(self) }

    /// Reads a name, which for times may be followed by their zone.
    fileprivate init?(name: Substring) {
      let isZoned = name.hasPrefix("DateTime('") && name.hasSuffix("')")
      self.init(rawValue: isZoned ? Self.dateTime.rawValue : String(name))
    }
  }

  /// Reads a type as ClickHouse writes it; `nil` for types that Tern does not use.
  package init?(_ name: String) {
    let opening = "Array("
    if name.hasPrefix(opening), name.hasSuffix(")") {
      guard let scalar = Scalar(name: name.dropFirst(opening.count).dropLast()) else { return nil }
      self = .array(scalar)
    } else {
      guard let scalar = Scalar(name: name[...]) else { return nil }
      self = .one(scalar)
    }
  }

  var scalar: Scalar {
    switch self {
    case .one(let scalar), .array(let scalar): scalar
    }
  }

  var isArray: Bool { self == .array(scalar) }

  /// The type as ClickHouse writes it.
  package var description: String {
    switch self {
    case .one(let scalar): scalar.rawValue
    case .array(let scalar): "Array(\(scalar.rawValue))"
    }
  }
}
