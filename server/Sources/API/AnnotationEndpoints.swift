import Answering
import HTTP
import HTTPTypes
import JSON
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/annotations`: the notes about days.
struct AnnotationEndpoints: Sendable {
  let catalog: any CollectorCatalog

  private static let note = JSONAnswer("Annotation", Annotation.members)

  func add(to api: EndpointGroup) {
    let (readers, editors) = (api.group("/apps/:app/annotations", .read), api.group("/apps/:app/annotations", .edit))
    readers.get(
      "", "listAnnotations", "The notes about days that people wrote.", .list("annotations", of: Self.note)
    ) { try catalog.annotations(app: try $0.app.id) }
    editors.on(
      .post, "", "createAnnotation", "Adds a note about a day, for example from a release script.",
      JSONBody("AnnotationInput", Annotation.members, maximumBytes: 256 << 10), Self.note.created
    ) { call, sent in
      let wanted = try sent.value(from: Annotation(app: try call.app.id))
      return try catalog.createAnnotation(app: wanted.app, day: wanted.day, text: wanted.text)
    }
    editors.delete("/:annotation", "removeAnnotation", "Deletes a note about a day.") { call in
      let unknown = APIError.unknown("annotation", "This app has no such note.")
      let number = try call.number("annotation", else: unknown)
      guard try catalog.removeAnnotation(number, app: try call.app.id) else { throw unknown }
    }
  }
}
