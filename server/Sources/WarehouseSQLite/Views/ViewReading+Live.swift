import Views
import Warehouse

extension ViewReading {
  /// What came in time behind a row, by days.
  struct Arrivals {
    var days: [Int: [ViewPlace]] = [:]
    var earliest: Int? { days.keys.min() }
  }

  /// What came in time behind a row.
  func arrivals(after row: Int64) throws -> Arrivals {
    if let known = arrivals[row] { return known }
    var found = Arrivals()
    try scan.places(after: row) { place, time, received in
      guard calendar.counts(time: time, received: received) else { return }
      found.days[calendar.day(of: time), default: []].append(place)
    }
    arrivals[row] = found
    return found
  }

  /// A day that is not sealed, counted on from the last question if that is possible; `nil` when the day is not kept.
  ///
  /// Days of a view whose users are `uid`s are not: a hit may turn those of a whole session over to another user.
  func live(_ day: Int) throws -> LiveDay? {
    guard let kept = live, let today, day > today - LiveView.days, !view.countsMembers, !kept.isLarge(day) else {
      return nil
    }
    if let known = try kept[day] ?? stored(day) {
      if known.row == lastRow { return known }
      // Whatever fails on the way, half of it must not be kept.
      kept[day] = nil
      if try goOn(known, day) {
        kept[day] = known
        return known
      }
    }
    let fresh = LiveDay(builder(day), row: lastRow)
    try count(day, through: .max, into: &fresh.builder) {
      fresh.places += $0
    } before: {
      fresh.before.merge($0) { $1 }
    }
    kept[day] = fresh
    return fresh
  }

  /// Counts the days to which hits still come, so that no report has to wait for it.
  func countOpenDays() throws {
    guard let today else { return }
    for day in today - LiveView.days + 1...today where try isBusy(day) && !isSealed(day) { _ = try live(day) }
  }

  /// Counts the users again of whom hits have come, or of whom something else is known from the days before.
  ///
  /// - Returns: whether that could be done.
  private func goOn(_ known: LiveDay, _ day: Int) throws -> Bool {
    let new = try arrivals(after: known.row)
    guard known.builder.isReversible, let users = try usersToCount(known, day, new) else { return false }
    let fresh = new.days[day] ?? []
    let added = Dictionary(grouping: fresh, by: \.slot)
    let places = users.sorted().map { (user: $0, old: known.places(of: $0), new: added[$0] ?? []) }
    let count = places.reduce(0) { $0 + $1.old.count + $1.new.count }
    // Counting all at once is cheaper then.
    guard count <= max(20_000, known.places.count / 4) else { return false }
    if !places.isEmpty { try remember(before: day) }
    var start = 0
    while start < places.count {
      var (end, hits) = (start, 0)
      while end < places.count, end == start || hits < ViewPortion().hits {
        hits += places[end].old.count + places[end].new.count
        end += 1
      }
      try recount(places[start..<end], known, day)
      start = end
    }
    guard known.builder.isReversible else { return false }
    if !fresh.isEmpty { known.add(fresh) }
    known.row = lastRow
    return true
  }

  /// The users of a day that must be counted again; `nil` when that cannot be told.
  private func usersToCount(_ known: LiveDay, _ day: Int, _ new: Arrivals) throws -> Set<UInt32>? {
    var users = Set((new.days[day] ?? []).map(\.slot))
    guard let earliest = new.earliest, earliest < day else { return users }
    // What earlier days changed of what is known; of one that has been sealed since, nobody has kept that.
    for earlier in earliest..<day where calendar.bounds(of: earlier) != nil {
      guard try !isSealed(earlier), let other = try live(earlier), other.since <= known.row else { return nil }
      for (row, user) in other.news where row > known.row && known.builder.day.present.contains(user) {
        users.insert(user)
      }
    }
    return users
  }

  private func recount(
    _ places: ArraySlice<(user: UInt32, old: ArraySlice<ViewPlace>, new: [ViewPlace])>, _ known: LiveDay, _ day: Int
  ) throws {
    let hits = try scan.hits((places.flatMap { $0.old + $0.new })[...])
    let states = try states(of: Set(places.map(\.user)), before: day)
    for (user, hits) in ViewHit.byUser(hits) {
      let before = known.builder.day.changes.states[user]
      known.builder.remove(hits.filter { $0.id <= known.row }, of: user, known.before[user])
      known.builder.add(portion: hits, states)
      known.before[user] = states[user]
      if known.builder.day.changes.states[user] != before { known.note(user, lastRow) }
    }
  }
}
