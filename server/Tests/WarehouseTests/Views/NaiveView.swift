import TernBase
import TernEvents

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// A civil day; inside the model, `Day` means something else.
private func civilDay(_ number: Int) -> Day { Day(number: number) }

/// The rules of docs/views.md, implemented literally: every hit looks back over all earlier ones, and nothing is
/// cached.
struct NaiveView {
  struct Hit {
    var client: String
    var user: String
    var time: Int64
    var received: Int64
    var parameters: [String: String]
    /// Its position in order of arrival.
    var number = 0
  }

  struct Day: Equatable {
    var sessions: Int64 = 0
    var hits: Int64 = 0
    var acquisition: [[String]: Int64] = [:]
    var dimensions: [[String]: Int64] = [:]
    var revenue: Int64 = 0
  }

  private struct Placed {
    var hit: Hit
    var isIn: Bool
    var session = -1
  }

  private static let length: Int64 = 86_400_000
  let view: View
  let definitions: [CustomDefinition]

  /// Returns the reports of every day, in UTC.
  func days(_ hits: [Hit]) -> [Int: Day] {
    var days: [Int: Day] = [:]
    var counted: [Hit] = []
    let hits = hits.enumerated().map { number, hit in
      var hit = hit
      hit.number = number
      return hit
    }
    let inTime = hits.filter { $0.received < ($0.time / Self.length + 1) * Self.length + 4 * 3_600_000 }
    for (_, history) in Dictionary(grouping: owned(inTime), by: \.0) {
      let ordered = history.map(\.1)
      var sessions = -1
      var placed: [Placed] = []
      for hit in ordered {
        var next = Placed(hit: hit, isIn: rules(hit).admits(hit.parameters))
        if next.isIn {
          if begins(hit, after: placed) { sessions += 1 }
          next.session = sessions
        }
        placed.append(next)
      }
      for position in placed.indices where !placed[position].isIn { placed[position].session = home(position, placed) }
      for session in 0..<max(sessions + 1, 0) { count(session, placed, &days) }
      counted += placed.filter(\.isIn).map(\.hit)
    }
    addRevenue(counted, &days)
    return days
  }

  /// Any client may refund an order later; a refund without an amount refunds the rest.
  private func addRevenue(_ counted: [Hit], _ days: inout [Int: Day]) {
    var left: [String: Int64] = [:]
    for hit in counted.sorted(by: { ($0.time, $0.number) < ($1.time, $1.number) }) {
      guard let action = hit.parameters["pa"], let order = hit.parameters["ti"] else { continue }
      let amount = hit.parameters["tr"].flatMap { Int64($0) }.map { $0 * 1_000_000 }
      let change = action == "purchase" ? amount ?? 0 : -(amount ?? max(left[order] ?? 0, 0))
      left[order, default: 0] += change
      days[Int(hit.time / Self.length), default: Day()].revenue += change
    }
  }

  /// Returns each hit with its user, in the order in which the hits happened.
  private func owned(_ hits: [Hit]) -> [(String, Hit)] {
    let ordered = hits.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
      \.element)
    switch view.first.settings.identity {
    case .client: return ordered.map { ($0.client, $0) }
    case .explicitUser: return ordered.filter { !$0.user.isEmpty }.map { ($0.user, $0) }
    case .user:
      return ordered.enumerated().compactMap { index, hit in
        if !hit.user.isEmpty { return (hit.user, hit) }
        // Look at all hits of the client, ahead to the first of the same session with a user ID if none came before.
        let day = ordered.filter { $0.client == hit.client }
        let own = ordered[...index].count { $0.client == hit.client } - 1
        var session = 0
        var numbers: [Int] = []
        var before: [Placed] = []
        for other in day {
          if begins(other, after: before) { session += 1 }
          before.append(Placed(hit: other, isIn: true, session: session))
          numbers.append(session)
        }
        let mine = zip(day, numbers).enumerated().filter { $0.element.1 == numbers[own] }
        guard let first = mine.first(where: { !$0.element.0.user.isEmpty }), first.offset > own else { return nil }
        return (first.element.0.user, hit)
      }
    }
  }

  /// Returns the rules on the day of a hit.
  private func rules(_ hit: Hit) -> View.Rules { view.rules(on: civilDay(Int(hit.time / Self.length))) }

  private func campaign(_ hit: Hit) -> [String]? {
    hit.parameters["cs"].map { [$0, "(not set)", "(not set)"] }
  }

  /// Returns the campaign of the sessions that begin with a hit.
  private func attribution(_ hit: Hit, after placed: [Placed]) -> [String]? {
    if let own = campaign(hit) { return own }
    guard let last = placed.last(where: { campaign($0.hit) != nil }) else { return nil }
    return hit.time - last.hit.time <= Int64(rules(hit).settings.campaignDays) * Self.length ? campaign(last.hit) : nil
  }

  private func begins(_ hit: Hit, after placed: [Placed]) -> Bool {
    guard let last = placed.lastIndex(where: \.isIn) else { return true }
    let previous = placed[last].hit
    if previous.time / Self.length != hit.time / Self.length { return true }
    if hit.time - previous.time > rules(hit).settings.maximumGap.rawValue { return true }
    if previous.parameters["sc"] == "end" || hit.parameters["sc"] == "start" { return true }
    guard let named = campaign(hit) else { return false }
    guard let first = placed.firstIndex(where: { $0.session == placed[last].session && $0.isIn }) else { return true }
    return named != attribution(placed[first].hit, after: Array(placed[..<first]))
  }

  /// Returns the session of a hit that was filtered out; -1 for none.
  private func home(_ position: Int, _ placed: [Placed]) -> Int {
    let hit = placed[position].hit
    func isNear(_ other: Placed) -> Bool {
      other.isIn && other.hit.time / Self.length == hit.time / Self.length
    }
    if let before = placed[..<position].last(where: isNear), before.hit.parameters["sc"] != "end",
      hit.time - before.hit.time <= rules(hit).settings.maximumGap.rawValue
    {
      return before.session
    }
    if let after = placed[position...].first(where: isNear), after.hit.parameters["sc"] != "start",
      after.hit.time - hit.time <= rules(hit).settings.maximumGap.rawValue
    {
      return after.session
    }
    return -1
  }

  private func scope(_ definition: CustomDefinition, _ hit: Hit) -> CustomDefinition.Scope? {
    guard let rule = definition.rules.last(where: { $0.start.millisecondsSince1970 <= hit.time }) else { return .hit }
    return rule.isActive ? rule.scope : nil
  }

  private func count(_ session: Int, _ placed: [Placed], _ days: inout [Int: Day]) {
    guard let first = placed.firstIndex(where: { $0.session == session && $0.isIn }),
      let last = placed.lastIndex(where: { $0.session == session })
    else { return }
    let number = Int(placed[first].hit.time / Self.length)
    var day = days[number] ?? Day()
    day.sessions += 1
    let source = attribution(placed[first].hit, after: Array(placed[..<first]))
    day.acquisition[source ?? ["(direct)", "(none)", "(not set)"], default: 0] += 1
    for here in placed where here.session == session && here.isIn {
      day.hits += 1
      for definition in definitions {
        let name = definition.parameter
        let value: String?
        switch scope(definition, here.hit) {
        case .hit: value = here.hit.parameters[name]
        case .session:
          value =
            placed.last {
              $0.session == session && scope(definition, $0.hit) == .session && $0.hit.parameters[name] != nil
            }?.hit.parameters[name]
        case .user:
          value =
            placed[...last].last { scope(definition, $0.hit) == .user && $0.hit.parameters[name] != nil }?
            .hit.parameters[name]
        case nil: value = nil
        }
        if let value {
          day.dimensions[[name, scope(definition, here.hit)?.rawValue ?? "", value], default: 0] += 1
        }
      }
    }
    days[number] = day
  }
}
