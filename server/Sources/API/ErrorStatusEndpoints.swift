import Answering
import HTTP
import HTTPTypes
import JSON
import Reports
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/errors/{group}`: the status of error groups.
struct ErrorStatusEndpoints: Sendable {
  let errors: ErrorStatuses

  private static let status = JSONAnswer("ErrorStatus", ShownErrorStatus.members)

  func add(to api: EndpointGroup) {
    let path = "/apps/:app/errors/:group"
    api.group(path, .read).get("", "errorStatus", "The status of an error group.", Self.status, errors: [503]) { call in
      let group = try call.number("group", else: .unknownErrorGroup)
      return ShownErrorStatus(group, try await errors.triage(of: group, call.context))
    }
    api.group(path, .edit).on(
      .put, "", "setErrorStatus",
      "Sets the status of an error group. A closed one opens again when it comes back in a later version.",
      JSONBody("ErrorStatusInput", NewErrorStatus.members.ignoring(ShownErrorStatus.members), maximumBytes: 64 << 10),
      Self.status
    ) { call, sent in
      let (group, wanted) = (
        try call.number("group", else: .unknownErrorGroup), try sent.value(from: NewErrorStatus())
      )
      return ShownErrorStatus(group, try await errors.set(wanted, group, call.context))
    }
  }
}
