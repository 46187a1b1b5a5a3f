import Answering
import HTTP
import HTTPTypes
import JSON
import Warehouse

/// `/api/v1/apps/{app}/dimensions` and `/metrics`: the definitions of custom dimensions and metrics.
struct DefinitionEndpoints: Sendable {
  let catalog: any CollectorCatalog

  private static let index = EndpointGroup.Parameter.path("index", .limited(CustomDefinition.indexes))

  func add(to api: EndpointGroup) {
    for kind in CustomDefinition.Kind.allCases { add(kind, to: api) }
  }

  private func add(_ kind: CustomDefinition.Kind, to api: EndpointGroup) {
    let (path, name) = ("/apps/:app/\(kind.rawValue)s", kind == .metric ? "Metric" : "Dimension")
    let (readers, editors) = (api.group(path, .read), api.group(path, .edit))
    let answer = JSONAnswer("Custom\(name)", CustomDefinition.members(kind))
    let item = Item(answer, [Self.index]) { call in
      guard let found = try definition(kind, call) else { throw APIError.unknownDefinition }
      return found
    }
    readers.get(
      "", "list\(name)s", "The custom \(kind.rawValue)s of an app's hits.", .list("\(kind.rawValue)s", of: answer)
    ) { call in try catalog.definitions(app: try call.app.id).filter { $0.kind == kind } }
    readers.show("/:index", kind.rawValue, "One custom \(kind.rawValue).", item)
    let body = JSONBody(
      "Custom\(name)Input", NewDefinition.members(kind).ignoring(CustomDefinition.members(kind)), maximumBytes: 4 << 10)
    var operation = APIOperation(
      "define\(name)",
      "Defines a custom \(kind.rawValue). Its name applies to all reports, the rest to hits from now on.",
      [Self.index], body: body.content, answers: answer.content,
      errors: JSONBody<NewDefinition>.errors)
    operation.isConditional = true
    // It needn't exist yet, unless the request says in which state it must be.
    editors.on(.put, "/:index", operation) { [reader = editors.reader] call in
      let (sent, condition) = (try await body.receive(call, reader), Precondition(call.request))
      let wanted = try sent.value(from: NewDefinition())
      let defined = try catalog.atomically {
        try condition.require { try definition(kind, call).map { answer.tree($0).encoded } }
        return try catalog.define(
          app: try call.app.id, kind: kind, index: try index(call), name: wanted.name,
          type: kind == .metric ? wanted.type : nil, scope: kind == .metric ? nil : wanted.scope,
          isActive: wanted.isActive)
      }
      return item.response(defined)
    }
  }

  private func definition(_ kind: CustomDefinition.Kind, _ call: Call) throws -> CustomDefinition? {
    let index = try index(call)
    return try catalog.definitions(app: try call.app.id).first { $0.kind == kind && $0.index == index }
  }

  private func index(_ call: Call) throws(APIError) -> Int {
    let number = Int(clamping: try call.number("index", else: .unknownDefinition))
    guard CustomDefinition.indexes.contains(number) else { throw .unknownDefinition }
    return number
  }
}

extension APIError {
  fileprivate static let unknownDefinition = unknown(
    "definition", "This number has no definition. Numbers are from 1 to 200; PUT defines one.")
}
