import TernBase
import Warehouse

/// Counts a session's path: its first and last screens, its depth and its steps.
extension ViewDayBuilder {
  /// The number of screen views above which sessions are counted together.
  static let deepest = 20
  /// The number of a session's steps that the flow follows.
  static let flowSteps = 10
  /// The number of different paths per step that a day keeps; all others are counted as "(other)". A limit per step
  /// keeps one step from using all the room.
  static let maximumFlowPaths = 400

  mutating func addJourney(_ session: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    guard let first = session.first, let last = session.last else { return }
    let views = session.filter(\.isScreenView)
    let duration = last.time - first.time
    let depth = views.count < Self.deepest ? ViewTexts.twoDigits(views.count) : KnownText.many.id
    tables.add(.depths, ViewKey(depth), 1, duration, user: slot)
    if let landing = views.first, let exit = views.last {
      tables.add(
        .landings, ViewKey(batch.screen(landing)), 1, views.count == 1 ? 1 : 0, duration, SaturatingInt64(views.count),
        user: slot
      )
      tables.add(.exits, ViewKey(batch.screen(exit)), 1, user: slot)
    }
    addScreenVersions(views, batch, slot)
    addEventScreens(session, batch, slot)
    addExceptionSessions(session, batch, slot)
    addApplication(session, views: views.count, batch, slot)
    addFlow(session, batch, slot)
  }

  private mutating func addScreenVersions(_ views: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    var seen: Set<ViewKey> = []
    for view in views {
      let key = ViewKey(batch.screen(view), batch.text(.an, view), batch.namedVersion(view))
      tables.add(.screenVersions, key, 1, seen.insert(key).inserted ? 1 : 0, user: slot)
    }
  }

  /// Counts events by screen. An event that names no screen belongs to the last screen seen.
  private mutating func addEventScreens(_ session: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    var (screen, events, seen): (TextID, SaturatingInt64, Set<ViewKey>) = (KnownText.unset.id, 0, [])
    for hit in session {
      if hit.isScreenView { screen = batch.screen(hit) }
      guard hit.isEvent else { continue }
      let key = ViewKey(batch.namedScreen(hit) ?? screen, batch.text(.ec, hit), batch.text(.ea, hit))
      tables.add(
        .eventScreens, key, 1, seen.insert(key).inserted ? 1 : 0, batch.integer(.ev, hit) ?? 0, user: slot)
      events += 1
    }
    if events > 0 { tables.add(.eventSessions, ViewKey(KnownText.all.id), events, 1, user: slot) }
  }

  private mutating func addExceptionSessions(_ session: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    let exceptions = session.filter(\.isException)
    guard !exceptions.isEmpty else { return }
    let crashes = exceptions.count { $0.isCrash }
    tables.add(.exceptionSessions, ViewKey(KnownText.exception.id), SaturatingInt64(exceptions.count), 1, user: slot)
    if crashes > 0 {
      tables.add(.exceptionSessions, ViewKey(KnownText.crash.id), SaturatingInt64(crashes), 1, user: slot)
    }
    for hit in exceptions {
      tables.add(.exceptionVersions, ViewKey(batch.namedVersion(hit)), 1, hit.isCrash ? 1 : 0, user: slot)
    }
  }

  private mutating func addApplication(_ session: [CountedHit], views: Int, _ batch: HitBatch, _ slot: UInt32) {
    func last(_ name: KnownText) -> TextID {
      session.last { $0.has(name) }.flatMap { batch.value(name, $0) } ?? KnownText.unset.id
    }
    let crashes = session.count { $0.isCrash }
    tables.add(
      .applications, ViewKey(last(.aid), last(.aiid)), 1, SaturatingInt64(views), SaturatingInt64(crashes), user: slot)
  }

  private struct Step: Hashable {
    var kind: KnownText
    var name: TextID
    /// The action of an event, whose category is in `name`.
    var action = KnownText.empty.id

    func text(_ texts: ViewTexts) -> TextID {
      kind == .event ? texts.pair(name, action) : name
    }
  }

  /// Counts the flow. Repeats of the same screen or event are one step, because the user hasn't moved on.
  private mutating func addFlow(_ session: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    var steps: [Step] = []
    for hit in session {
      let step: Step
      if hit.isScreenView {
        step = Step(kind: .screen, name: batch.screen(hit))
      } else if hit.isEvent {
        step = Step(kind: .event, name: batch.text(.ec, hit), action: batch.text(.ea, hit))
      } else {
        continue
      }
      if step != steps.last { steps.append(step) }
      if steps.count > Self.flowSteps { break }
    }
    for (index, step) in steps.prefix(Self.flowSteps).enumerated() {
      let next = index + 1 < steps.count ? steps[index + 1] : Step(kind: .exit, name: KnownText.exitName.id)
      let key = ViewKey(
        ViewTexts.twoDigits(index + 1), step.kind.id, step.text(batch.texts), next.kind.id, next.text(batch.texts))
      tables.add(.flow, key, 1, user: slot)
    }
  }
}
