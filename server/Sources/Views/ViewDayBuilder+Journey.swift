import Ingest
import Warehouse

/// What a session did from beginning to end: where it began and ended, how far it went and which way.
extension ViewDayBuilder {
  /// Screen views of a session beyond which sessions are not told apart.
  package static let deepest = 20
  /// Steps of a session that the flow follows.
  package static let flowSteps = 10
  /// Different ways of one step that a day keeps; further ones are "(other)", so that no step takes all the room.
  package static let maximumWays = 400

  package mutating func addJourney(_ session: [ViewHit], _ slot: UInt32) {
    guard let first = session.first, let last = session.last else { return }
    let views = session.filter(\.isScreenView)
    let duration = last.time - first.time
    let depth = views.count < Self.deepest ? Self.twoDigits(views.count) : "\(Self.deepest)+"
    day.add(.depths, [depth], [1, duration], user: slot)
    if let landing = views.first, let exit = views.last {
      day.add(
        .landings, [landing.screen], [1, views.count == 1 ? 1 : 0, duration, Int64(views.count)], user: slot)
      day.add(.exits, [exit.screen], [1], user: slot)
    }
    addScreenVersions(views, slot)
    addEventScreens(session, slot)
    addExceptionSessions(session, slot)
    addApplication(session, slot)
    addFlow(session, slot)
  }

  private mutating func addScreenVersions(_ views: [ViewHit], _ slot: UInt32) {
    var seen: Set<[String]> = []
    for view in views {
      let key = [view.screen, view.text("an"), view.version.isEmpty ? "(not set)" : view.version]
      day.add(.screenVersions, key, [1, seen.insert(key).inserted ? 1 : 0], user: slot)
    }
  }

  /// An event that names no screen happened on the one that was seen last.
  private mutating func addEventScreens(_ session: [ViewHit], _ slot: UInt32) {
    var (screen, events, seen): (String, Int64, Set<[String]>) = ("(not set)", 0, [])
    for hit in session {
      if hit.isScreenView { screen = hit.screen }
      guard hit.isEvent else { continue }
      let key = [hit.parameters["cd"] ?? hit.parameters["dp"] ?? screen, hit.text("ec"), hit.text("ea")]
      day.add(.eventScreens, key, [1, seen.insert(key).inserted ? 1 : 0, hit.integer("ev") ?? 0], user: slot)
      events += 1
    }
    if events > 0 { day.add(.eventSessions, ["all"], [events, 1], user: slot) }
  }

  private mutating func addExceptionSessions(_ session: [ViewHit], _ slot: UInt32) {
    let exceptions = session.filter(\.isException)
    guard !exceptions.isEmpty else { return }
    let crashes = exceptions.count { $0.isCrash }
    day.add(.exceptionSessions, ["exception"], [Int64(exceptions.count), 1], user: slot)
    if crashes > 0 { day.add(.exceptionSessions, ["crash"], [Int64(crashes), 1], user: slot) }
    for hit in exceptions {
      let version = hit.version.isEmpty ? "(not set)" : hit.version
      day.add(.exceptionVersions, [version], [1, hit.isCrash ? 1 : 0], user: slot)
    }
  }

  private mutating func addApplication(_ session: [ViewHit], _ slot: UInt32) {
    let key = ["aid", "aiid"].map { name in session.compactMap { $0.parameters[name] }.last ?? "(not set)" }
    let (views, crashes) = (session.count { $0.isScreenView }, session.count { $0.isCrash })
    day.add(.applications, key, [1, Int64(views), Int64(crashes)], user: slot)
  }

  private struct Step: Hashable {
    var kind: String
    var name: String
  }

  /// The same screen or event twice in a row is one step: nobody went anywhere.
  private mutating func addFlow(_ session: [ViewHit], _ slot: UInt32) {
    var steps: [Step] = []
    for hit in session {
      let step: Step
      if hit.isScreenView {
        step = Step(kind: "screen", name: hit.screen)
      } else if hit.isEvent {
        step = Step(kind: "event", name: "\(hit.text("ec")): \(hit.text("ea"))")
      } else {
        continue
      }
      if step != steps.last { steps.append(step) }
      if steps.count > Self.flowSteps { break }
    }
    for (index, step) in steps.prefix(Self.flowSteps).enumerated() {
      let next = index + 1 < steps.count ? steps[index + 1] : Step(kind: "exit", name: "(exit)")
      day.add(.flow, [Self.twoDigits(index + 1), step.kind, step.name, next.kind, next.name], [1], user: slot)
    }
  }
}
