import Ingest

/// Who is there now, and what happened in the last half hour.
public struct ViewRealtime: Sendable, Hashable {
  /// One minute.
  public struct Minute: Sendable, Hashable {
    /// Hits of any kind.
    public var hits = 0
    /// Screen and page views.
    public var screenViews = 0
    /// Users with a hit of any kind.
    public var users = 0

    /// Creates a minute without hits.
    public init() {}
  }

  /// How often something was, and by how many.
  public struct Row: Sendable, Hashable {
    /// What it was.
    public var key: [String]
    /// Hits.
    public var hits: Int
    /// Users with such a hit.
    public var users: Int

    /// Creates a row.
    public init(key: [String], hits: Int, users: Int) {
      self.key = key
      self.hits = hits
      self.users = users
    }
  }

  /// What active users are told by.
  public enum Fact: Int, Sendable, CaseIterable {
    /// By screen, of screen views.
    case screen
    /// By category and action, of events.
    case event
    /// By name of the app.
    case app
    /// By version of the app.
    case version
    /// By country.
    case country
  }

  /// Users with a hit in the last 5 minutes.
  public var activeUsers = 0
  /// Those of them who were there on no earlier day.
  public var newUsers = 0
  /// Hits of the last 5 minutes.
  public var hits = 0
  /// Breakdowns of the last 5 minutes, by users, most first.
  public var facts: [Fact: [Row]] = [:]
  /// The last 30 minutes, the present one first.
  public var minutes = Array(repeating: Minute(), count: ViewRealtime.length)

  /// How many minutes are told.
  public static let length = 30
  /// How many minutes somebody who sends nothing counts as being there.
  static let active: Int64 = 5

  /// Creates figures of nothing.
  public init() {}
}

/// Adds up hits of the last half hour, user after user.
struct ViewRealtimeBuilder {
  private struct Tally {
    var hits = 0
    var users = 0
    var last: UInt32?

    /// Hits of one user follow on each other.
    mutating func add(_ slot: UInt32) {
      hits += 1
      if last != slot { users += 1 }
      last = slot
    }
  }

  private struct Key: Hashable {
    var fact: ViewRealtime.Fact
    var parts: [String]
  }

  private let now: Int64
  private let earlier: SlotSet
  private var figures = ViewRealtime()
  private var active = Tally()
  private var fresh = Tally()
  private var facts: [Key: Tally] = [:]
  private var minutes: [Tally]

  /// - Parameter earlier: who was there on an earlier day.
  init(now: Int64, earlier: SlotSet) {
    self.now = now
    self.earlier = earlier
    minutes = Array(repeating: Tally(), count: ViewRealtime.length)
  }

  /// Adds all hits of one user.
  mutating func add(_ hits: [ViewHit], _ slot: UInt32) {
    // So that a minute's hits of one user follow on each other, too.
    for hit in hits {
      // What a device dates ahead of now is of this minute.
      let age = max(0, now - hit.time) / 60_000
      guard age < Int64(ViewRealtime.length) else { continue }
      minutes[Int(age)].add(slot)
      if hit.isScreenView { figures.minutes[Int(age)].screenViews += 1 }
      if age < ViewRealtime.active { addActive(hit, slot) }
    }
  }

  private mutating func addActive(_ hit: ViewHit, _ slot: UInt32) {
    active.add(slot)
    if !earlier.contains(slot) { fresh.add(slot) }
    if hit.isScreenView { add(.screen, [hit.screen], slot) }
    if hit.isEvent { add(.event, [hit.text("ec"), hit.text("ea")], slot) }
    add(.app, [hit.text("an")], slot)
    add(.version, [hit.version.isEmpty ? "(not set)" : hit.version], slot)
    add(.country, [hit.device.country.isEmpty ? "(not set)" : hit.device.country], slot)
  }

  private mutating func add(_ fact: ViewRealtime.Fact, _ parts: [String], _ slot: UInt32) {
    facts[Key(fact: fact, parts: parts), default: Tally()].add(slot)
  }

  /// The figures, once everybody was added.
  func finished() -> ViewRealtime {
    var figures = figures
    (figures.activeUsers, figures.newUsers, figures.hits) = (active.users, fresh.users, active.hits)
    for (index, minute) in minutes.enumerated() {
      (figures.minutes[index].hits, figures.minutes[index].users) = (minute.hits, minute.users)
    }
    for (key, tally) in facts {
      figures.facts[key.fact, default: []].append(
        ViewRealtime.Row(key: key.parts, hits: tally.hits, users: tally.users))
    }
    for fact in figures.facts.keys {
      figures.facts[fact]?.sort {
        ($1.users, $1.hits) == ($0.users, $0.hits)
          ? $0.key.lexicographicallyPrecedes($1.key) : ($1.users, $1.hits) < ($0.users, $0.hits)
      }
    }
    return figures
  }
}

extension WarehouseReader {
  /// Who is there now; see ``ViewSource/viewRealtime(_:now:)``.
  public func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime {
    try await asking(view, now: now) { reading in
      let today = reading.calendar.day(of: now)
      let earlier = SlotSet()
      if let first = try reading.firstDay(), first < today {
        for day in first..<today { earlier.formUnion(try reading.present(day)) }
      }
      var builder = ViewRealtimeBuilder(now: now, earlier: earlier)
      let since = now - Int64(ViewRealtime.length) * 60_000
      try reading.portions((since + 1)..<Int64.max) { _, time, received in
        reading.calendar.counts(time: time, received: received)
      } body: { hits in
        let wanted = hits.filter {
          view.rules(on: Day(number: reading.calendar.day(of: $0.time))).admits($0.parameters)
        }
        for (slot, hits) in Dictionary(grouping: wanted, by: \.slot) { builder.add(hits, slot) }
      }
      return builder.finished()
    }
  }
}
