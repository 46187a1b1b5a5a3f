/// The reason why an event was rejected. The raw values are stored and shown in reports: never reuse one.
package enum RejectionReason: String, Sendable, CaseIterable {
  /// The log is not JSON, although the rest of the request is.
  case notJSON = "not_json"
  /// The line or log is valid JSON, but not an object.
  case notAnObject = "not_an_object"
  /// The event has no type.
  case typeMissing = "type_missing"
  /// The protocol has no event of this type.
  case typeUnknown = "type_unknown"
  /// An event or screen has no name, or an empty one.
  case nameMissing = "name_missing"
  /// The event has no ID.
  case idMissing = "id_missing"
  /// The ID is not a UUID.
  case idInvalid = "id_invalid"
  /// The event names no install.
  case installMissing = "install_missing"
  /// The install is not a UUID.
  case installInvalid = "install_invalid"
  /// The event has no time.
  case timeMissing = "time_missing"
  /// The time cannot be read.
  case timeInvalid = "time_invalid"
  /// The event is older than the protocol allows.
  case timeTooOld = "time_too_old"
  /// The event's time is further in the future than the protocol allows.
  case timeInFuture = "time_in_future"
  /// The encoded event is longer than the protocol allows.
  case eventTooLarge = "event_too_large"
  /// A handled error or crash has no exception.
  case exceptionMissing = "exception_missing"
  /// The exception has no type.
  case exceptionTypeMissing = "exception_type_missing"
  /// An event of type `attachment` has no attachment.
  case attachmentMissing = "attachment_missing"
  /// The attachment names no error, has no ID, cannot be decoded, or its piece number is out of range.
  case attachmentInvalid = "attachment_invalid"
  /// A different attachment, or piece, with this ID exists.
  case attachmentConflict = "attachment_conflict"
  /// The attachment, with all its pieces, is larger than allowed.
  case attachmentTooLarge = "attachment_too_large"
  /// The error of the attachment did not arrive within a day, or too many such attachments arrived.
  case attachmentUnclaimed = "attachment_unclaimed"
  /// The attachment was deleted to make room for newer errors and attachments, or there was no room for it.
  case attachmentNotKept = "attachment_not_kept"
  /// The error is counted, but its stack and raw text were deleted to make room for newer errors, or there was no room
  /// for them.
  case errorTextNotKept = "error_text_not_kept"
  /// The hit uses a different version of the Measurement Protocol.
  case versionInvalid = "version_invalid"
  /// The hit has no tracking ID.
  case trackingIDMissing = "tid_missing"
  /// The hit has neither a client ID nor a user ID.
  case clientIDMissing = "cid_missing"
  /// The event hit has no category.
  case categoryMissing = "category_missing"
  /// The event hit has no action.
  case actionMissing = "action_missing"
  /// The protocol has no hits of this type.
  case hitTypeUnknown = "t_unknown"
  /// The page view has neither an address nor a host and path.
  case pageMissing = "page_missing"
  /// The transaction or item has no transaction ID.
  case transactionIDMissing = "ti_missing"
  /// The item has no name.
  case itemNameMissing = "in_missing"
  /// The social hit lacks network, action or target.
  case socialMissing = "social_missing"
  /// The timing hit lacks category, variable or duration.
  case timingMissing = "timing_missing"
  /// The batch has more hits than the protocol allows.
  case tooManyHits = "too_many_hits"
  /// The install or user was deleted, with the request to refuse what they still send.
  case personRefused = "person_refused"
  /// The app, or the address of its sender, is over a limit of the server.
  case rateLimited = "rate_limited"
  /// The event is of a kind that other systems have and Tern doesn't, such as a feature flag that was read.
  case unsupported
  /// The event was stored, and later set aside because processing it failed.
  case quarantined

  /// A sentence that explains how to avoid the rejection.
  package var message: String {
    switch self {
    case .rateLimited: "Send less, or raise the limit: `tern apps limits` shows and changes it."
    case .unsupported:
      "Tern stores no flags, surveys, recordings, transactions and recorded clicks. You don't need to do anything."
    case .quarantined: "Report this with the server's log: the server stored the event, and processing it failed."
    case .notJSON: "Send JSON: valid UTF-8, no NaN or Infinity, brackets closed and nested at most 1,024 deep."
    case .notAnObject: "Send a JSON object."
    case .typeMissing: "Give the event a type."
    case .typeUnknown: "Use one of the types event, screen, session_start, drops, handled_error, crash and attachment."
    case .nameMissing: "Give the event a non-empty name."
    case .idMissing: "Give the event an ID: a UUID that stays the same on every retry."
    case .idInvalid: "Send the ID as a UUID of 36 characters."
    case .installMissing: "Send an install ID: a UUID that stays the same for this installation."
    case .installInvalid: "Send the install ID as a UUID of 36 characters."
    case .timeMissing: "Send the time of the event."
    case .timeInvalid: "Send the time in the protocol's format (docs/protocols.md)."
    case .timeTooOld: "The event is older than the server accepts; send events earlier, or check the device's clock."
    case .timeInFuture: "The event is dated in the future; check the device's clock."
    case .eventTooLarge: "Make the event smaller; docs/protocols.md lists the limits."
    case .exceptionMissing: "Send the exception, in Tern's own protocol as an object in the member `exception`."
    case .exceptionTypeMissing: "Give the exception a non-empty type."
    case .attachmentMissing: "Send the piece as an object in the member `attachment`."
    case .attachmentInvalid:
      "Identify error and attachment by UUIDs, number parts from 0, and send at most 47 KiB per piece as base64."
    case .attachmentConflict: "Give each attachment its own ID; a different attachment already has this one."
    case .attachmentTooLarge: "Send attachments of at most 7 MiB."
    case .attachmentUnclaimed: "Send the attachment's error before the attachment, or within a day."
    case .attachmentNotKept: "The app has used all of its storage for errors, so the oldest attachments are deleted."
    case .errorTextNotKept:
      "The error counts, but without its stack: the app's storage for errors is full, so the oldest are deleted."
    case .versionInvalid: "Send v=1."
    case .trackingIDMissing: "Send the tracking ID as tid."
    case .clientIDMissing: "Send a client ID as cid, or a user ID as uid."
    case .categoryMissing: "Send the event's category as ec."
    case .actionMissing: "Send the event's action as ea."
    case .hitTypeUnknown:
      "Use one of the types screenview, pageview, event, transaction, item, social, exception and timing."
    case .pageMissing: "Send the page's address as dl, or its host as dh and its path as dp."
    case .transactionIDMissing: "Send the transaction's ID as ti."
    case .itemNameMissing: "Send the item's name as in."
    case .socialMissing: "Send the network as sn, the action as sa and the target as st."
    case .timingMissing: "Send the category as utc, the variable as utv, and the time as utt, in whole milliseconds."
    case .tooManyHits: "Send at most 20 hits in one batch."
    case .personRefused: "This install or user was deleted, and the server refuses their events."
    }
  }
}

extension Rejection {
  /// Creates a rejection with the reason's own message.
  package init(_ reason: RejectionReason, index: Int, id: String = "") {
    self.init(index: index, id: id, reason: reason.rawValue, message: reason.message)
  }
}
