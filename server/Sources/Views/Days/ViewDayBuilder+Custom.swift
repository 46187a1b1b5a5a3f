import TernBase
import Warehouse

extension ViewDayBuilder {
  /// Counts a session's custom dimensions, metrics and content groups, each value for the hits in its scope.
  mutating func addCustom(
    _ session: ViewSession, _ batch: HitBatch, _ slot: UInt32, shrink: (inout DayTables) -> Void
  ) {
    let wider = [(session.values, CustomDefinition.Scope.session), (session.userValues, .user)].map { values, scope in
      (values: values.sorted { $0.key < $1.key }, scope: scope)
    }
    let hasWider = wider.contains { !$0.values.isEmpty }
    guard hasWider || session.hits.contains(where: \.hasCustom) else { return }
    let texts = batch.texts
    var seen: Set<ViewKey> = []
    for hit in session.hits where hasWider || hit.hasCustom {
      let customs = batch.customs(hit)
      for custom in customs where custom.role != .metric {
        if custom.role == .contentGroup || rules.scope(texts.string(custom.name), at: hit.time) == .hit {
          let key = ViewKey(custom.name, KnownText.hit.id, custom.value)
          tables.add(.dimensions, key, 1, seen.insert(key).inserted ? 1 : 0, user: slot)
        }
      }
      for (values, scope) in wider where hasWider {
        for (name, value) in values where rules.scope(name, at: hit.time) == scope {
          let key = ViewKey(texts.id(name), texts.id(scope.rawValue), texts.id(value))
          tables.add(.dimensions, key, 1, seen.insert(key).inserted ? 1 : 0, user: slot)
        }
      }
      for metric in customs where metric.role == .metric {
        guard rules.scope(texts.string(metric.name), at: hit.time) != nil,
          let number = ViewHit.millionths(texts.string(metric.value))
        else { continue }
        tables.add(.metrics, ViewKey(metric.name), 1, number, user: slot)
      }
      shrink(&tables)
    }
  }
}
