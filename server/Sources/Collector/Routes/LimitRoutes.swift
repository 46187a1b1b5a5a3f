import HTTPTypes
import Hummingbird
import Portal
import TernEvents
import Warehouse

/// Shows and changes an app's limits. Changes are for owners: the limits protect the server and other apps.
struct LimitRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog
  let usage: UsageGate

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 4 << 10

  func add(to routes: RouteTable) {
    routes.on(
      "/api/v1/apps/:app/limits",
      [
        .get: .api(.permission(.read)) { _, context in try limits(of: try context.app.id) },
        .patch: .api(.permission(.administer)) { try await change($0, $1) },
      ])
  }

  private func limits(of app: AppID) throws -> Response {
    let limits = try catalog.usageLimitChanges(of: app).values
    return .tagged(
      try Response.bytes(
        encoding: LimitsDescription(
          limits: limits, usual: UsageLimitChanges().values,
          refused: usage.refusals(of: app).map(LimitsDescription.Refused.init))),
      state: try Response.bytes(encoding: limits))
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let members = UsageLimitChanges.members
    let wanted = try await reader.object(
      [String: Int?].self, of: request, context, limit: Self.maximumBytes,
      members: "numbers, or null for the default: " + members.map(\.name).joined(separator: ", "))
    let (app, condition) = (try context.app.id, Precondition(request))
    return try Response.refusingInvalid {
      try catalog.atomically {
        try condition.require { try Response.bytes(encoding: try catalog.usageLimitChanges(of: app).values) }
        var changes = try catalog.usageLimitChanges(of: app)
        for (name, number) in wanted {
          guard let member = members.first(where: { $0.name == name }) else {
            throw WarehouseError(
              code: .invalid, message: "The limits are \(members.map(\.name).joined(separator: ", ")).")
          }
          changes[keyPath: member.value] = number
        }
        try catalog.setUsageLimits(of: app, to: changes)
        return try limits(of: app)
      }
    }
  }
}

/// The limits in the JSON of the API.
private struct LimitsDescription: Encodable {
  /// The requests refused within the last day because of one limit.
  struct Refused: Encodable {
    let limit: String
    let count: Int
    let first: Int64
    let last: Int64

    init(_ refusals: UsageRefusals) {
      limit = refusals.kind.rawValue
      count = refusals.count
      (first, last) = (refusals.first.millisecondsSince1970, refusals.last.millisecondsSince1970)
    }
  }

  let limits: [String: Int]
  let usual: [String: Int]
  let refused: [Refused]
}
