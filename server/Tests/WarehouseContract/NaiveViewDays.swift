import Ingest
import ServerBase
import TernEvents
import Views
import Warehouse

/// The days of one view, counted again from the first hit on.
///
/// The rules of one day are those of `Views`, which has its own model in the tests. What a store adds to them is simple
/// here: which hits a day counts, what is remembered between days, and what is sealed.
struct NaiveViewDays {
  let view: View
  let calendar: ViewCalendar
  let definitions: [CustomDefinition]
  /// A hit with its day, and true if it was received before the cutoff of that day and stored before the day was sealed.
  typealias Placed = (hit: ViewHit, day: Int, isInTime: Bool)
  /// All hits of the app, late ones included, in the order in which they were stored.
  let hits: [Placed]
  /// The first day with an event of the app.
  let firstDay: Int?
  private let members: [ExactText: UInt32]
  private let lastSealed: Int?

  init(_ view: View, catalog: any CatalogStore, state: NaiveWarehouse.State) throws {
    let calendar = ViewCalendar(view)
    let rows = state.rows.filter { $0.app == view.app }
    self.view = view
    self.calendar = calendar
    definitions = try catalog.definitions(app: view.app)
    let seals = state.seals[view.id] ?? [:]
    hits = rows.compactMap(\.viewHit).map { hit in
      let day = calendar.day(of: hit.time.milliseconds)
      let isInTime =
        calendar.counts(time: hit.time.milliseconds, received: hit.received.milliseconds)
        && hit.id <= seals[day] ?? .max
      return (hit, day, isInTime)
    }
    firstDay = seals.keys.min() ?? rows.map(\.time).min().map { calendar.day(of: $0) }
    var members: [ExactText: UInt32] = [:]
    for row in rows where !row.event.user.isEmpty {
      let name = ExactText(row.event.user)
      members[name] = members[name] ?? UInt32(members.count)
    }
    self.members = members
    lastSealed = seals.keys.max()
  }

  /// Returns the user whom a hit names by itself; `nil` if there is none.
  func user(of hit: ViewHit) -> UInt32? {
    view.countsUserIDs ? members[ExactText(hit.user)] : hit.slot
  }

  /// Returns hits with the numbers of their users, without those of no user.
  private func owned(
    _ hits: [ViewHit], _ settings: ViewSettings, _ states: [UInt32: UserState]
  ) -> (hits: [ViewHit], states: [UInt32: UserState]) {
    guard view.countsUserIDs else { return (hits, [:]) }
    let outcome = ViewIdentity.users(of: HitBatch(hits), settings, states: states) { members[ExactText($0)] }
    let owned = hits.compactMap { hit in
      outcome.owners[hit.id].map { owner in
        var hit = hit
        hit.slot = owner
        return hit
      }
    }
    return (owned, outcome.states)
  }

  /// Returns all existing days from the first hit through `last`, in order.
  func days(through last: Int) -> [(number: Int, day: ViewDay)] {
    guard let firstDay, firstDay <= last else { return [] }
    let hits = Dictionary(grouping: hits.filter(\.isInTime), by: \.day).mapValues { $0.map(\.hit) }
    var memory = ViewMemory()
    memory.restart(at: firstDay)
    return (firstDay...last).compactMap { number in
      guard calendar.bounds(of: number) != nil else {
        memory.skip(number)
        return nil
      }
      let rules = view.rules(on: Day(number: number))
      let own = owned(hits[number] ?? [], rules.settings, memory.states)
      var day = ViewDayBuilder.day(
        of: own.hits, filters: rules.filters, settings: rules.settings, rules: CustomRules(definitions),
        states: memory.states, orders: memory.orders, hour: calendar.hour)
      day.changes.states.merge(own.states) { $1 }
      memory.add(day.changes, of: number)
      return (number, day)
    }
  }

  // MARK: Sealing

  /// Returns true if a minute has passed since the cutoffs of a day and of those before it.
  private func isSettled(_ day: Int, now: Int64) -> Bool {
    (day - 2...day).allSatisfy { number in
      calendar.bounds(of: number) == nil && number != day
        || calendar.final(number).map { $0 + 60_000 <= now } ?? false
    }
  }

  /// Returns the days that are final and not sealed, in order.
  func unsealed(now: Int64) -> [Int] {
    guard let first = lastSealed.map({ $0 + 1 }) ?? firstDay, first <= calendar.day(of: now) else { return [] }
    return Array(
      (first...calendar.day(of: now)).filter { calendar.bounds(of: $0) != nil }.prefix { isSettled($0, now: now) })
  }

  func state(of day: Int, now: Int64) -> ViewMetrics.DayState {
    if day < firstDay ?? .max { return isSettled(day, now: now) ? .final : calendar.isOver(day, now) }
    return lastSealed.map { day <= $0 } ?? false ? .final : calendar.isOver(day, now)
  }

  // MARK: Real time

  func realtime(now: Int64) -> ViewRealtime {
    let today = calendar.day(of: now)
    let earlier = SlotSet()
    for (number, day) in days(through: today) where number < today { earlier.formUnion(day.present) }
    var builder = ViewRealtimeBuilder(now: now, earlier: earlier)
    let recent = hits.map(\.hit).filter {
      $0.time.milliseconds > now - Int64(ViewRealtime.length) * 60_000
        && calendar.counts(time: $0.time.milliseconds, received: $0.received.milliseconds)
    }
    let counted = owned(recent, view.latest.settings, [:]).hits.filter {
      view.rules(on: Day(number: calendar.day(of: $0.time.milliseconds))).admits($0.parameters)
    }
    for (user, hits) in Dictionary(grouping: counted, by: \.slot) { builder.add(hits, user) }
    return builder.finished()
  }
}

extension ViewCalendar {
  fileprivate func isOver(_ day: Int, _ now: Int64) -> ViewMetrics.DayState {
    final(day).map { $0 <= now } ?? false ? .closed : .open
  }
}

extension NaiveWarehouse.Row {
  /// The row as views count it; `nil` for one that is no hit.
  fileprivate var viewHit: ViewHit? {
    guard ![.drops, .attachment, .attachmentPart].contains(event.kind) else { return nil }
    let parameters =
      hit.map { Dictionary($0.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }) }
      ?? ViewHit.parameters(
        kind: event.kind, startsSession: startsSession, isMeasurement: source == .measurement, name: event.name,
        properties: event.properties.map { ($0.name, $0.value.hitText) })
    return ViewHit(
      id: id, time: time, received: received, slot: UInt32(install), user: event.user, device: device,
      parameters: parameters)
  }
}

extension PropertyValue {
  fileprivate var hitText: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date(let time): "\(time.millisecondsSince1970)"
    }
  }
}
