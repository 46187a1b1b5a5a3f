import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import Questions
import Reports
import ServerBase
import Warehouse

/// The forms of the page of saved segments: `/apps/ID/segments`.
struct SegmentPages: SettingsForms {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.segments.route,
      [
        .post: .page(.permission(.edit)) { try await change($0, $1) }
      ])
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, fields) = (try context.app.id, try await site.reader.form(request, context))
    var form = SegmentForm(fields.values)
    do {
      switch fields["do"] {
      case "create":
        _ = try site.catalog.createSegment(app: app, name: form.name.trimmed, filters: try Self.checked(form))
      case "change":
        guard
          let segment = try context.visibleSegments(site.catalog).first(where: { $0.id.description == fields["id"] })
        else { throw APIError.unknownSegment }
        form = SegmentForm(fields.values, changing: segment)
        _ = try site.catalog.changeSegment(
          segment.id, app: app, name: form.name.trimmed, filters: try Self.checked(form))
      case "delete": _ = try site.catalog.removeSegment(fields["id"].flatMap { Int64($0) } ?? 0, app: app)
      default: throw APIError.unknownAction
      }
      return Redirect(path: "/apps/\(app)/segments").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(
        SegmentsPage.self, request, context, fields: fields.values, FormResult(message: error.message))
    } catch let error as QuestionError {
      return try await site.open(
        SegmentsPage.self, request, context, fields: fields.values, FormResult(message: error.message))
    }
  }

  private static func checked(_ form: SegmentForm) throws -> String {
    if let fault = form.fault { throw WarehouseError(.invalid, fault) }
    return String(decoding: try SegmentFilters.checked(form.filters).json, as: UTF8.self)
  }
}
