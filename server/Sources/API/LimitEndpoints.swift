import Answering
import HTTP
import HTTPTypes
import JSON
import TernEvents
import Warehouse

/// `/limits` of an app. Changes are for owners: the limits protect the server and other apps.
struct LimitEndpoints: Sendable {
  let catalog: any CollectorCatalog
  /// Returns what was refused within the last day.
  let refusals: @Sendable (AppID) -> [UsageRefusals]

  private struct Shown: Sendable {
    let changes: UsageLimitChanges
    let refused: [UsageRefusals]
  }

  private static let limits = JSONAnswer<Shown>(
    "Limits",
    [
      .shown("limits", UsageLimitChanges.schema) { $0.changes.tree },
      .shown(
        "refused",
        .list(.object(["count": .count, "first": .count, "last": .count, "limit": .choice(UsageLimits.Kind.self)]))
      ) { .array($0.refused.map(tree)) },
      .shown("usual", UsageLimitChanges.schema) { _ in UsageLimitChanges().tree },
    ])

  /// The requests refused within the last day because of one limit.
  private static func tree(_ refused: UsageRefusals) -> JSONTree {
    .object([
      ("count", .integer(refused.count)), ("first", .integer(refused.first.millisecondsSince1970)),
      ("last", .integer(refused.last.millisecondsSince1970)), ("limit", .text(refused.kind.rawValue)),
    ])
  }

  func add(to api: EndpointGroup) {
    let item = Item(Self.limits, state: { $0.changes.tree.encoded }) { call in
      let app = try call.app.id
      return Shown(changes: try catalog.usageLimitChanges(of: app), refused: refusals(app))
    }
    api.group("/apps/:app", .read).show(
      "/limits", "limits",
      "How much an app may send. The answer has the usual limits, too, and what was refused within the last day.", item)
    api.group("/apps/:app", .administer).change(
      .patch, "/limits", "changeLimits",
      "Changes how much an app may send, within a second; null restores the usual limit. For owners.",
      JSONBody("LimitChange", UsageLimitChanges.jsonMembers), item
    ) { call, old, sent in try catalog.setUsageLimits(of: try call.app.id, to: try sent.value(from: old.changes)) }
  }
}
