import TernBase
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

  /// True if the days since `day` are kept as they were counted.
  ///
  /// Those of a view whose users are `uid`s are not: a hit may turn a whole session over to another user.
  private func keeps(_ day: Int) -> Bool {
    guard let live, let today else { return false }
    return day > today - LiveView.days && !view.countsMembers && !live.isLarge(day)
  }

  /// A day that is not sealed, as it was counted; `nil` if such days are not kept.
  ///
  /// It may lack the latest hits if it must be counted anew and ``mayLag`` is true.
  func live(_ day: Int) throws -> LiveDay? {
    guard keeps(day) else { return nil }
    if let known = try continued(day), mayLag || known.row == lastRow { return known }
    let fresh = try countedAnew(day)
    live?[day] = fresh
    return fresh
  }

  /// A day as it was counted, with all hits that have come since if they can be added.
  private func continued(_ day: Int) throws -> LiveDay? {
    guard let known = try live?[day] ?? stored(day) else { return nil }
    live?[day] = known
    guard known.row != lastRow, let places = try placesToCount(known, day) else { return known }
    // Whatever fails on the way, half of it must not be kept.
    live?[day] = nil
    guard try goOn(known, day, places) else { return nil }
    live?[day] = known
    return known
  }

  /// Counts all hits of a day.
  private func countedAnew(_ day: Int) throws -> LiveDay {
    let fresh = LiveDay(builder(day), row: lastRow)
    try count(day, through: .max, into: &fresh.builder) {
      fresh.places += $0
    } before: {
      fresh.before.merge($0) { $1 }
    }
    return fresh
  }

  /// Adds the hits that have come for open days.
  ///
  /// - Returns: the days to which they can't be added.
  func continueOpenDays() throws -> [Int] {
    guard let live, let today, let now else { return [] }
    live.backgroundCount = now
    mayLag = true
    return try (today - LiveView.days + 1...today).filter { try isBehind($0) }
  }

  /// True if a day lacks hits that can't be added to it.
  private func isBehind(_ day: Int) throws -> Bool {
    guard try isBusy(day), try !isSealed(day) else { return false }
    return keeps(day) ? try continued(day)?.row != lastRow : try entry(day)?.row != lastRow
  }

  /// Counts a day anew without holding up reports, and then hands it to them.
  func count(openDay day: Int, for live: Locked<LiveView>) throws {
    guard !view.countsMembers, live.withLock({ !$0.isLarge(day) }) else { return try countEntry(day) }
    let fresh = try countedAnew(day)
    live.withLock { if $0[day].map({ $0.row < fresh.row }) ?? true { $0[day] = fresh } }
  }

  /// Counts the users again of whom hits have come, or of whom something else is known from the days before.
  ///
  /// - Returns: whether that could be done.
  private func goOn(_ known: LiveDay, _ day: Int, _ places: [UserPlaces]) throws -> Bool {
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
    guard places.isEmpty || known.builder.isReversible else { return false }
    if !places.isEmpty { known.add(places.flatMap(\.new)) }
    known.row = lastRow
    return true
  }

  private typealias UserPlaces = (user: UInt32, old: ArraySlice<ViewPlace>, new: [ViewPlace])

  /// The hits of the users who must be counted again; `nil` if all hits of the day must be.
  private func placesToCount(_ known: LiveDay, _ day: Int) throws -> [UserPlaces]? {
    let new = try arrivals(after: known.row)
    guard let today, let users = try usersToCount(known, day, new) else { return nil }
    // What is counted may not rest on earlier days that lack hits.
    if mayLag, !users.isEmpty, try (today - LiveView.days + 1..<day).contains(where: { try isBehind($0) }) {
      return nil
    }
    let added = Dictionary(grouping: new.days[day] ?? [], by: \.slot)
    let places = users.sorted().map { (user: $0, old: known.places(of: $0), new: added[$0] ?? []) }
    let count = places.reduce(0) { $0 + $1.old.count + $1.new.count }
    // Counting all at once is cheaper than counting that many one by one.
    return places.isEmpty || known.builder.isReversible && count <= max(20_000, known.places.count / 8) ? places : nil
  }

  /// The users of a day that must be counted again; `nil` when that cannot be told.
  private func usersToCount(_ known: LiveDay, _ day: Int, _ new: Arrivals) throws -> Set<UInt32>? {
    var users = Set((new.days[day] ?? []).map(\.slot))
    guard let earliest = new.earliest, earliest < day else { return users }
    // What earlier days changed of what is known; of one that has been sealed since, no day has kept that.
    for earlier in earliest..<day where calendar.bounds(of: earlier) != nil {
      guard try !isSealed(earlier), let other = try live(earlier), other.row == lastRow, other.since <= known.row
      else { return nil }
      for (row, user) in other.news where row > known.row && known.builder.day.present.contains(user) {
        users.insert(user)
      }
    }
    return users
  }

  private func recount(
    _ places: ArraySlice<UserPlaces>, _ known: LiveDay, _ day: Int
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
