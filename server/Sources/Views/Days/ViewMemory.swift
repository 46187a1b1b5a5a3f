import Warehouse

/// The changes that one day makes to a view's state.
package struct ViewChanges: Sendable {
  /// The new states of the users whose state the day changed.
  package var states: [UInt32: UserState] = [:]
  /// The amounts that purchases added to orders and refunds subtracted.
  package var orders: [OrderID: ViewOrder] = [:]
  /// Creates an empty set of changes.
  package init() {}

  /// The number of rows in the stored form.
  package var count: Int { states.count + orders.count }
}

/// The state that a view has accumulated on days that are not sealed: the sum of their changes, in order.
///
/// The changes of sealed days are stored: for each user and day that changed the user's state, one row with the
/// complete state from then on. A user's state at the beginning of a day is therefore a single row, an order's state is
/// the sum of its rows, and a day's metrics are a pure function of its hits and of earlier days. No running state can
/// get lost or depend on the time of a query.
package struct ViewMemory {
  package private(set) var states: [UInt32: UserState] = [:]
  /// The sum of the changes to orders.
  package private(set) var orders: [OrderID: ViewOrder] = [:]
  /// The first day that is not included, or `nil` before the first day.
  package private(set) var next: Int?

  /// Creates an empty memory.
  package init() {}

  /// Clears the memory; `day` is the first to be added.
  package mutating func restart(at day: Int) {
    states = [:]
    orders = [:]
    next = day
  }

  /// Adds the changes of a day if it is the next one. Other days are ignored: earlier ones are included, and later ones
  /// will be requested.
  package mutating func add(_ changes: ViewChanges, of day: Int) {
    guard day == next else { return }
    states.merge(changes.states) { $1 }
    for (id, change) in changes.orders { orders[id, default: ViewOrder()].add(change) }
    next = day + 1
  }

  /// Skips a date that does not exist.
  package mutating func skip(_ day: Int) { add(ViewChanges(), of: day) }
}
