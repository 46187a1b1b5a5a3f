import ServerBase
package import TernBase
import Warehouse

/// The state of an order, by transaction id: its purchases less its refunds.
///
/// A day's change of an order has the same form, so the changes of several days can be added.
package struct ViewOrder: Hashable, Sendable {
  /// One product of the order.
  package struct Line: Hashable, Sendable {
    /// Name and SKU.
    package var key: [String]
    /// Brand, category, coupon and variant, by name.
    package var facts: [String: String] = [:]
    /// The unit price in the latest purchase, in millionths, or `nil` if no purchase had one.
    package var price: SaturatingInt64?
    package var quantity: SaturatingInt64 = 0
    /// In millionths.
    package var revenue: SaturatingInt64 = 0

    fileprivate var negated: Line {
      Line(key: key, price: nil, quantity: -quantity, revenue: -revenue)
    }
  }

  /// The maximum number of different products per order; equal to the maximum per hit.
  package static let maximumLines = 200

  /// In millionths, like the amounts that follow.
  package var revenue: SaturatingInt64 = 0
  package var tax: SaturatingInt64 = 0
  package var shipping: SaturatingInt64 = 0
  /// Affiliation, coupon and currency in the latest purchase, by parameter.
  package var facts: [String: String] = [:]
  package var lines: [Line] = []

  /// Creates an order, empty by default.
  package init(
    revenue: SaturatingInt64 = 0, tax: SaturatingInt64 = 0, shipping: SaturatingInt64 = 0,
    facts: [String: String] = [:], lines: [Line] = []
  ) {
    self.revenue = revenue
    self.tax = tax
    self.shipping = shipping
    self.facts = facts
    self.lines = lines
  }

  package mutating func add(_ change: ViewOrder) {
    revenue += change.revenue
    tax += change.tax
    shipping += change.shipping
    facts.merge(change.facts) { $1 }
    for line in change.lines { add(line) }
  }

  private mutating func add(_ line: Line) {
    guard let position = lines.firstIndex(where: { $0.key == line.key }) else {
      if lines.count < Self.maximumLines { lines.append(line) }
      return
    }
    lines[position].facts.merge(line.facts) { $1 }
    lines[position].price = line.price ?? lines[position].price
    lines[position].quantity += line.quantity
    lines[position].revenue += line.revenue
  }

  /// The change that undoes this one.
  package var negated: ViewOrder {
    ViewOrder(
      revenue: -revenue, tax: -tax, shipping: -shipping, lines: lines.map(\.negated))
  }

  /// Everything that can still be refunded.
  package var rest: ViewOrder {
    ViewOrder(
      revenue: max(revenue, 0), tax: max(tax, 0), shipping: max(shipping, 0), facts: facts,
      lines: lines.compactMap { line in
        var line = line
        (line.quantity, line.revenue) = (max(line.quantity, 0), max(line.revenue, 0))
        return line.quantity == 0 && line.revenue == 0 ? nil : line
      })
  }

  /// Returns the product that a refund names, by SKU, else by name.
  package func line(like key: [String]) -> Line? {
    let unknown = ViewHit.unset
    if key.count == 2, key[1] != unknown { return lines.first { $0.key.last == key[1] } }
    return lines.first { $0.key.first == key.first }
  }
}

// MARK: - Stored form

extension ViewOrder {
  /// The stored form. Equal orders give equal bytes.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for amount in [revenue, tax, shipping] { bytes.append(number: amount) }
    Self.append(facts, to: &bytes)
    bytes.appendVarint(UInt64(lines.count))
    for line in lines {
      bytes.appendVarint(UInt64(line.key.count))
      for part in line.key { bytes.append(text: part) }
      Self.append(line.facts, to: &bytes)
      bytes.appendVarint(line.price == nil ? 0 : 1)
      for number in [line.price ?? 0, line.quantity, line.revenue] { bytes.append(number: number) }
    }
    return bytes
  }

  /// Reads a stored form, or returns `nil` if it is invalid.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard let revenue = reader.number(), let tax = reader.number(), let shipping = reader.number(),
      let facts = Self.facts(&reader), let count = reader.varint(), count <= Self.maximumLines
    else { return nil }
    (self.revenue, self.tax, self.shipping, self.facts) = (revenue, tax, shipping, facts)
    for _ in 0..<count {
      guard let line = Self.line(&reader) else { return nil }
      lines.append(line)
    }
    guard reader.isAtEnd else { return nil }
  }

  private static func line(_ reader: inout ByteReader) -> Line? {
    guard let parts = reader.varint(), parts <= 2 else { return nil }
    var key: [String] = []
    for _ in 0..<parts {
      guard let part = reader.text() else { return nil }
      key.append(part)
    }
    guard let facts = facts(&reader), let isPriced = reader.varint(), let price = reader.number(),
      let quantity = reader.number(), let revenue = reader.number()
    else { return nil }
    return Line(key: key, facts: facts, price: isPriced == 1 ? price : nil, quantity: quantity, revenue: revenue)
  }

  private static func append(_ facts: [String: String], to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(facts.count))
    for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
      bytes.append(text: name)
      bytes.append(text: value)
    }
  }

  private static func facts(_ reader: inout ByteReader) -> [String: String]? {
    guard let count = reader.varint(), count <= 8 else { return nil }
    var facts: [String: String] = [:]
    for _ in 0..<count {
      guard let name = reader.text(), let value = reader.text() else { return nil }
      facts[name] = value
    }
    return facts
  }
}
