import ServerBase
import TernBase
import Views
import Warehouse

extension ViewReading {
  /// The hits in time that were stored after a row, by day.
  struct Arrivals {
    var days: [Int: [ViewPlace]] = [:]
    var earliest: Int? { days.keys.min() }
  }

  /// Returns the hits in time that were stored after a row.
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

  /// Returns true if the days from `day` on are kept as counted.
  ///
  /// Days of views of `uid`s are not kept: a single hit can move a whole session to another user.
  private func keeps(_ day: Int) -> Bool {
    guard let live, let today else { return false }
    // Not later days either: more than are kept would each be counted again for every later one.
    return (today - LiveView.days + 1...today).contains(day) && !view.countsUserIDs && !live.isLarge(day)
  }

  /// Returns an open day as counted, or `nil` if such days are not kept.
  ///
  /// If ``mayLag`` is true, a day that has to be recounted may lack the latest hits.
  func live(_ day: Int) throws -> LiveDay? {
    guard keeps(day) else { return nil }
    if let known = try continued(day), mayLag || known.row == lastRow { return known }
    let fresh = try recounted(day)
    live?[day] = fresh
    return fresh
  }

  /// Returns a kept day, with all hits that have arrived since it was counted, provided that they can be added.
  private func continued(_ day: Int) throws -> LiveDay? {
    guard let known = try live?[day] ?? stored(day) else { return nil }
    live?[day] = known
    guard known.row != lastRow, !known.needsRecount, let places = try placesToCount(known, day) else { return known }
    // Removed first, so that a failure leaves no half-counted day behind.
    live?[day] = nil
    guard try performing(day, { try continueCount(known, day, places) }) else { return nil }
    live?[day] = known
    return known
  }

  /// Counts all hits of a day.
  private func recounted(_ day: Int) throws -> LiveDay {
    let fresh = LiveDay(builder(day), row: lastRow)
    try performing(day) {
      try count(day, through: .max, into: &fresh.builder) {
        fresh.places += $0
      } before: {
        fresh.before.merge($0) { $1 }
      }
    }
    return fresh
  }

  /// Adds the hits that have arrived for open days, and counts days that were never counted.
  ///
  /// - Returns: The days to which they can't be added.
  func continueOpenDays() throws -> [Int] {
    guard let live, let today, let now else { return [] }
    live.backgroundCount = now
    mayLag = true
    return try (today - LiveView.days + 1...today).filter { day in
      guard try isBusy(day), try !isSealed(day) else { return false }
      // Reports have no count to show yet, so they wait for this one.
      if keeps(day), try continued(day) == nil { live[day] = try recounted(day) }
      if !keeps(day), try entry(day) == nil { try countEntry(day) }
      return try isBehind(day)
    }
  }

  /// Returns true if a day lacks hits that can't be added to it.
  private func isBehind(_ day: Int) throws -> Bool {
    guard try isBusy(day), try !isSealed(day) else { return false }
    return keeps(day) ? try continued(day)?.row != lastRow : try entry(day)?.row != lastRow
  }

  /// Recounts a day without delaying reports, then makes it available to them.
  func count(openDay day: Int, for live: Locked<LiveView>) throws {
    guard !view.countsUserIDs, live.withLock({ !$0.isLarge(day) }) else { return try countEntry(day) }
    let fresh = try recounted(day)
    live.withLock { if $0[day].map({ $0.row < fresh.row }) ?? true { $0[day] = fresh } }
  }

  /// Recounts the users who have new hits, or whose state from earlier days has changed.
  ///
  /// - Returns: False if the whole day must be recounted.
  private func continueCount(_ known: LiveDay, _ day: Int, _ places: [UserPlaces]) throws -> Bool {
    if !places.isEmpty { try remember(before: day) }
    var start = 0
    while start < places.count {
      var (end, hits) = (start, 0)
      while end < places.count, end == start || hits < ViewPortion.decodedHits {
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

  /// Returns the hits of the users to recount, or `nil` if the whole day must be recounted.
  private func placesToCount(_ known: LiveDay, _ day: Int) throws -> [UserPlaces]? {
    let new = try arrivals(after: known.row)
    guard let today else { return nil }
    guard let users = try usersToCount(known, day, new) else {
      known.needsRecount = true
      return nil
    }
    // A count must not depend on earlier days that lack hits.
    if mayLag, !users.isEmpty, try (today - LiveView.days + 1..<day).contains(where: { try isBehind($0) }) {
      return nil
    }
    let added = Dictionary(grouping: new.days[day] ?? [], by: \.slot)
    let places = users.sorted().map { (user: $0, old: known.places(of: $0), new: added[$0] ?? []) }
    let count = places.reduce(0) { $0 + $1.old.count + $1.new.count }
    // Beyond this, recounting everything is cheaper.
    let isLittle = known.builder.isReversible && count <= max(20_000, known.places.count / 8)
    known.needsRecount = !places.isEmpty && !isLittle
    return known.needsRecount ? nil : places
  }

  /// Returns the users of a day to recount, or `nil` if they cannot be determined.
  private func usersToCount(_ known: LiveDay, _ day: Int, _ new: Arrivals) throws -> Set<UInt32>? {
    var users = Set((new.days[day] ?? []).map(\.slot))
    guard let earliest = new.earliest, earliest < day else { return users }
    // Users whose state was changed by earlier days. A day sealed in the meantime no longer has a list of them.
    for earlier in earliest..<day where calendar.bounds(of: earlier) != nil {
      guard try !isSealed(earlier), let other = try live(earlier), other.row == lastRow,
        other.stateChangesSince <= known.row
      else { return nil }
      for (row, user) in other.stateChanges where row > known.row && known.builder.day.present.contains(user) {
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
