import Answering
import HTTP
import HTTPTypes
import JSON
import Questions
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/segments`: saved segments.
struct SegmentEndpoints: Sendable {
  let catalog: any CollectorCatalog

  private static let segment = JSONAnswer("Segment", SavedSegment.members)
  /// The filters, a name and some space.
  private static let newSegment = JSONBody(
    "SegmentInput", SavedSegment.members, maximumBytes: SegmentFilters.maximumBytes + 4_096)

  func add(to api: EndpointGroup) {
    let (readers, editors) = (api.group("/apps/:app/segments", .read), api.group("/apps/:app/segments", .edit))
    let item = Item(Self.segment) { try segment($0, among: try catalog.segments(app: try $0.app.id)) }
    let visible = Item(Self.segment) { try segment($0, among: try $0.context.visibleSegments(catalog)) }
    readers.get(
      "", "listSegments", "The saved segments of an app. Those that name persons the token may not see are left out.",
      .list("segments", of: Self.segment)
    ) { try $0.context.visibleSegments(catalog) }
    editors.create("", "createSegment", "Saves a segment.", Self.newSegment, item) { call, sent in
      let wanted = try sent.value(from: SavedSegment(app: try call.app.id))
      return try catalog.createSegment(app: wanted.app, name: wanted.name, filters: wanted.filters)
    }
    readers.show("/:segment", "segment", "One saved segment.", visible)
    editors.change(
      .put, "/:segment", "changeSegment", "Replaces a segment's name and filters.", Self.newSegment, item
    ) { _, old, sent in
      let wanted = try sent.value(from: old)
      _ = try catalog.changeSegment(old.id, app: old.app, name: wanted.name, filters: wanted.filters)
    }
    editors.remove("/:segment", "removeSegment", "Removes a segment.", item) { _, old in
      _ = try catalog.removeSegment(old.id, app: old.app)
    }
  }

  private func segment(_ call: Call, among segments: [SavedSegment]) throws -> SavedSegment {
    let number = try call.number("segment", else: .unknownSegment)
    guard let found = segments.first(where: { $0.id == number }) else { throw APIError.unknownSegment }
    return found
  }
}
