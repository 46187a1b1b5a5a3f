import ClickHouse

@testable import Shipping

/// A shard that fails in all the ways that the outcome of a request can differ from what happened.
struct FakeShard {
  enum Fault: CaseIterable {
    case none
    /// Nothing happened.
    case before
    /// It happened, and the answer was lost.
    case after
    /// Some rows were stored, as when a row is removed by hand later.
    case part
    /// It happens after the next request.
    case late
    /// The server at home is killed after the request.
    case kill
  }

  private struct Copy: Hashable {
    let number: Int64
    let generation: Int
  }

  private var stored: [Copy: UnitContent] = [:]
  /// The blocks that ClickHouse remembers.
  private var known: Set<Copy> = []
  private var late: [(inout FakeShard) -> Void] = []

  func content(_ unit: ShippingUnit) -> UnitContent { stored[Self.copy(unit)] ?? .empty }

  /// All rows, of all generations.
  var rows: Int { stored.values.reduce(0) { $0 + $1.rows } }

  mutating func insert(_ unit: ShippingUnit, _ fault: Fault) -> Bool {
    let arrivals = takeLate()
    defer { for arrival in arrivals { arrival(&self) } }
    switch fault {
    case .none, .kill, .after: store(unit)
    case .part:
      if known.insert(Self.copy(unit)).inserted {
        add(UnitContent(rows: unit.content.rows / 2, checksum: unit.content.checksum / 2), to: unit)
      }
    case .late: late.append { $0.store(unit) }
    case .before: break
    }
    return fault == .none
  }

  mutating func look(_ unit: ShippingUnit, _ fault: Fault) -> UnitContent? {
    let arrivals = takeLate()
    defer { for arrival in arrivals { arrival(&self) } }
    return fault == .none ? content(unit) : nil
  }

  /// Lets everything arrive that is still on its way.
  mutating func settle() { for arrival in takeLate() { arrival(&self) } }

  private mutating func takeLate() -> [(inout FakeShard) -> Void] {
    defer { late = [] }
    return late
  }

  mutating func removeOlder(than unit: ShippingUnit) {
    stored = stored.filter { $0.key.number != unit.number || $0.key.generation >= unit.generation }
  }

  private mutating func store(_ unit: ShippingUnit) {
    if known.insert(Self.copy(unit)).inserted { add(unit.content, to: unit) }
  }

  private mutating func add(_ content: UnitContent, to unit: ShippingUnit) {
    let before = self.content(unit)
    stored[Self.copy(unit)] = UnitContent(
      rows: before.rows + content.rows, checksum: before.checksum &+ content.checksum)
  }

  private static func copy(_ unit: ShippingUnit) -> Copy { Copy(number: unit.number, generation: unit.generation) }
}
