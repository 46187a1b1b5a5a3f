/// The reason why an event was rejected. The raw values are stored and shown in reports: never reuse one.
public enum RejectionReason: String, Sendable, CaseIterable {
  /// The log is not JSON, unlike others of its request.
  case notJSON = "not_json"
  /// The line or log is valid JSON, but no object.
  case notAnObject = "not_an_object"
  /// The event has no type.
  case typeMissing = "type_missing"
  /// The protocol has no such type.
  case typeUnknown = "type_unknown"
  /// An event or screen has no name, or an empty one.
  case nameMissing = "name_missing"
  /// The event has no id.
  case idMissing = "id_missing"
  /// The id is not a UUID.
  case idInvalid = "id_invalid"
  /// The install is not named.
  case installMissing = "install_missing"
  /// The install is not a UUID.
  case installInvalid = "install_invalid"
  /// The event has no time.
  case timeMissing = "time_missing"
  /// The time cannot be read.
  case timeInvalid = "time_invalid"
  /// The event is older than the protocol allows.
  case timeTooOld = "time_too_old"
  /// The event lies further in the future than the protocol allows.
  case timeInFuture = "time_in_future"
  /// The encoded event is longer than the protocol allows.
  case eventTooLarge = "event_too_large"
  /// A handled error or crash carries no exception.
  case exceptionMissing = "exception_missing"
  /// The exception has no type.
  case exceptionTypeMissing = "exception_type_missing"
  /// The event of type `attachment` carries none.
  case attachmentMissing = "attachment_missing"
  /// The attachment names no error, has no id, cannot be decoded, or its piece is none of its pieces.
  case attachmentInvalid = "attachment_invalid"
  /// There is another attachment, or piece, of this id.
  case attachmentConflict = "attachment_conflict"
  /// The attachment, all pieces together, is larger than allowed.
  case attachmentTooLarge = "attachment_too_large"
  /// The error of the attachment did not arrive within a day, or too many such attachments arrived.
  case attachmentUnclaimed = "attachment_unclaimed"
  /// The attachment made room for newer errors and attachments, or found none.
  case attachmentNotKept = "attachment_not_kept"
  /// An error counts, but its stack and raw text made room for those of newer errors, or found none.
  case errorTextNotKept = "error_text_not_kept"
  /// The hit speaks another version of the Measurement Protocol.
  case versionInvalid = "version_invalid"
  /// The hit has no tracking id.
  case trackingIDMissing = "tid_missing"
  /// The hit has neither a client id nor a user id.
  case clientIDMissing = "cid_missing"
  /// The event hit has no category.
  case categoryMissing = "category_missing"
  /// The event hit has no action.
  case actionMissing = "action_missing"
  /// The hit's type is none that the protocol has.
  case hitTypeUnknown = "t_unknown"
  /// The page view names neither an address nor host and path.
  case pageMissing = "page_missing"
  /// The transaction or item has no transaction id.
  case transactionIDMissing = "ti_missing"
  /// The item has no name.
  case itemNameMissing = "in_missing"
  /// The social hit lacks network, action or target.
  case socialMissing = "social_missing"
  /// The timing hit lacks category, variable or duration.
  case timingMissing = "timing_missing"
  /// The batch holds more hits than the protocol allows.
  case tooManyHits = "too_many_hits"

  /// A sentence that says how to avoid it.
  public var message: String {
    switch self {
    case .notJSON: "Send JSON: valid UTF-8, no NaN or Infinity, brackets closed and nested at most 1,024 deep."
    case .notAnObject: "Send a JSON object."
    case .typeMissing: "Give the event a type."
    case .typeUnknown: "Use one of the types event, screen, session_start, drops, handled_error, crash and attachment."
    case .nameMissing: "Give the event a name that is not empty."
    case .idMissing: "Give the event an id, a UUID that is the same on every retry."
    case .idInvalid: "Send the id as a UUID of 36 characters."
    case .installMissing: "Send an install, a UUID that stays the same for this installation."
    case .installInvalid: "Send the install as a UUID of 36 characters."
    case .timeMissing: "Send the time of the event."
    case .timeInvalid: "Send the time in the format of the protocol (docs/protocols.md)."
    case .timeTooOld: "The event is older than the server accepts; send events earlier, or check the device's clock."
    case .timeInFuture: "The event lies in the future; check the device's clock."
    case .eventTooLarge: "Make the event smaller; docs/protocols.md lists the limits."
    case .exceptionMissing: "Send the exception as an object in the member exception."
    case .exceptionTypeMissing: "Give the exception a type that is not empty."
    case .attachmentMissing: "Send the piece as an object in the member attachment."
    case .attachmentInvalid:
      "Name the error and the attachment by UUIDs, count parts from 0 in whole numbers, and send at most 47 KiB a piece in base 64."
    case .attachmentConflict: "Give each attachment its own id; another one has this id."
    case .attachmentTooLarge: "Send attachments of at most 7 MiB."
    case .attachmentUnclaimed: "Send the error of an attachment first, or within a day."
    case .attachmentNotKept: "The app has used all of its storage for errors; the oldest attachments make room."
    case .errorTextNotKept:
      "The error counts without its stack: the app has used all of its storage for errors; the oldest make room."
    case .versionInvalid: "Send v=1."
    case .trackingIDMissing: "Send the tracking id as tid."
    case .clientIDMissing: "Send a client id as cid, or a user id as uid."
    case .categoryMissing: "Send the event's category as ec."
    case .actionMissing: "Send the event's action as ea."
    case .hitTypeUnknown:
      "Use one of the types screenview, pageview, event, transaction, item, social, exception and timing."
    case .pageMissing: "Send the page's address as dl, or its host as dh and its path as dp."
    case .transactionIDMissing: "Send the transaction's id as ti."
    case .itemNameMissing: "Send the item's name as in."
    case .socialMissing: "Send the network as sn, the action as sa and the target as st."
    case .timingMissing: "Send the category as utc, the variable as utv and the milliseconds as utt, a whole number."
    case .tooManyHits: "Send at most 20 hits in one batch."
    }
  }
}

extension Rejection {
  /// Creates a rejection with the reason's own message.
  public init(_ reason: RejectionReason, index: Int, id: String = "") {
    self.init(index: index, id: id, reason: reason.rawValue, message: reason.message)
  }
}
