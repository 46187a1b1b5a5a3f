import HTTPTypes
import Questions

extension APIDescription {
  /// Saved segments.
  static let segments: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/segments", name: "listSegments",
      summary: "The saved segments of an app, without those that name persons the token may not see.",
      parameters: [app], answers: ["application/json": .object(["segments": .list(.named("Segment"))])],
      errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/segments", name: "createSegment", summary: "Saves a segment.",
      parameters: [app], body: ["application/json": .named("NewSegment")], status: 201,
      answers: ["application/json": .named("Segment")], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/segments/{segment}", name: "segment", summary: "One saved segment.",
      parameters: [app, segment], answers: ["application/json": .named("Segment")], errors: [404]),
    APIOperation(
      method: .put, path: "/api/v1/apps/{app}/segments/{segment}", name: "changeSegment",
      summary: "Replaces a segment's name and filters.", parameters: [app, segment, ifMatch],
      body: ["application/json": .named("NewSegment")], answers: ["application/json": .named("Segment")],
      errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/segments/{segment}", name: "removeSegment",
      summary: "Removes a segment.", parameters: [app, segment, ifMatch], status: 204, errors: [404, 412]),
  ]

  private static let segment = APIOperation.Parameter.path("segment", .identifier)

  /// The schemas of segments.
  static let segmentSchemas: Schema.Members = [
    "NewSegment": .object(["name": .text(1...100), "filters": .list(.named("SegmentFilter"), 1...50)]),
    "Segment": .object([
      "id": .count, "name": .text, "filters": .list(.named("SegmentFilter")),
      "author": .text.described("The account or token that made the last change."), "changed": .time,
    ]),
  ]
}
