import Warehouse

/// What a day changed of what its view remembers.
package struct ViewChanges: Sendable {
  /// What is known from then on of the users of whom the day changed it.
  package var states: [UInt32: UserState] = [:]
  /// What purchases brought to orders, and refunds took.
  package var orders: [OrderID: ViewOrder] = [:]
  /// Creates changes of nothing.
  package init() {}

  /// How many rows they are.
  package var count: Int { states.count + orders.count }
}

/// What a view remembers of users and orders from days that are not sealed: what they changed, added up in order.
///
/// What sealed days changed is stored, a row for each user and day with all that is remembered of the user from then on.
/// So what is known of a user when a day begins is one row, what is known of an order is the sum of its rows, and the metrics of a day are a pure function of its hits and
/// of the days before: no state is carried along that could get lost, or depend on when it was asked for.
package struct ViewMemory {
  package private(set) var states: [UInt32: UserState] = [:]
  /// What changed of orders.
  package private(set) var orders: [OrderID: ViewOrder] = [:]
  /// The first day that is not in it; `nil` as long as it covers none.
  package private(set) var next: Int?

  /// Creates an empty memory.
  package init() {}

  /// Begins with a day.
  package mutating func restart(at day: Int) {
    states = [:]
    orders = [:]
    next = day
  }

  /// Adds what a day changed if it is the next one; others are known or will be asked for.
  package mutating func add(_ changes: ViewChanges, of day: Int) {
    guard day == next else { return }
    states.merge(changes.states) { $1 }
    for (id, change) in changes.orders { orders[id, default: ViewOrder()].add(change) }
    next = day + 1
  }

  /// Leaves out a date that does not exist.
  package mutating func skip(_ day: Int) { add(ViewChanges(), of: day) }
}
