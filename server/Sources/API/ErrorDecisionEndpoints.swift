import Answering
import HTTP
import HTTPTypes
import JSON
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/error-groups`: the rules by which errors are grouped, and groups that people merged or took apart.
struct ErrorDecisionEndpoints: Sendable {
  let catalog: any CollectorCatalog
  let decisions: ErrorGroupDecisions

  private static let shown = JSONAnswer("ErrorDecisions", ErrorDecisions.members)

  /// The number of an error whose stack is taken out of its group.
  private struct Split: JSONDescribed {
    var occurrence: Int64 = 0

    static let standard = Split()
    static let members: [JSONMember<Split>] = [.required("occurrence", \.occurrence, .identifier)]
  }

  private static let signature = JSONAnswer<Int64>("SplitError", [.shown("group", .count) { .integer(Int($0)) }])

  func add(to api: EndpointGroup) {
    let item = Item(Self.shown) { try catalog.errorDecisions(app: try $0.app.id) }
    api.group("/apps/:app", .read).show(
      "/error-groups", "errorDecisions",
      "How errors are grouped. The answer has the rules, the groups that people merged, and the stacks that they took "
        + "out.", item)
    let editors = api.group("/apps/:app/error-groups", .edit)
    editors.change(
      .put, "/rules", "setErrorRules",
      "Sets the frames that don't count for the groups of errors. A running server groups all errors again; nothing is counted again.",
      JSONBody("ErrorRules", ErrorRules.members, maximumBytes: 256 << 10), item
    ) { call, _, sent in try catalog.setErrorRules(try sent.value(from: ErrorRules()), app: try call.app.id) }
    editors.on(
      .post, "/merged", "mergeErrors",
      "Makes a group part of another one. Its numbers lead there, and the state that was changed last holds.",
      JSONBody("MergedErrors", ErrorDecisions.Merge.members)
    ) { call, sent in
      try await decisions.merge(try sent.value(from: ErrorDecisions.Merge(group: 0, into: 0)), call.context)
    }
    editors.delete("/merged/:group", "separateErrors", "Undoes the merges of a group into others.") { call in
      let unknown = APIError.unknown("merge", "This group is not merged into another one.")
      let group = try call.number("group", else: unknown)
      guard try catalog.separateErrors(group, app: try call.app.id) else { throw unknown }
    }
    editors.on(
      .post, "/split", "splitErrors",
      "Makes all errors with the stack of one of them a group of their own.", JSONBody("SplitErrors", Split.members),
      Self.signature.created
    ) { call, sent in
      try await decisions.split(occurrence: try sent.value(from: Split()).occurrence, call.context)
    }
    editors.delete("/split/:group", "rejoinErrors", "Puts errors back that were taken out of their group.") { call in
      let unknown = APIError.unknown("split", "These errors were not taken out of a group.")
      let group = try call.number("group", else: unknown)
      guard try catalog.rejoinErrors(group, app: try call.app.id) else { throw unknown }
    }
  }
}
