import Tern
import TernEvents
import TernLog

/// A recorded hit before encoding.
struct RecordedHit: QueueRecord {
  var draft: HitComposer.Draft
  var id: UniqueID
  var wallTime: Timestamp
  var uptime: Duration
  var random: UInt64

  /// The time since the boot that the hit had already waited when it was recorded.
  var waited: Duration { min(draft.waited, uptime) }

  var part: LogContext.Part { .usage }
  /// Each hit has all of its parameters.
  var context: EventContext? { nil }
  func belongs(to context: EventContext?) -> Bool { context == nil }
  /// The parameters are separately allocated strings.
  static var memoryOverhead: Int { 1_024 }

  func encode(to writer: inout JSONWriter, number: Int) {
    var parameters = HitComposer.ordered(draft.parameters)
    parameters.append(("_s", String(number)))
    parameters.append(("ht", String((wallTime - draft.waited).millisecondsSince1970)))
    parameters.append(("z", String(random)))
    writer.bytes = HitPayload.encode(parameters)
  }

  mutating func replaceInstall(_ provisional: UniqueID, with known: UniqueID) {
    if draft.parameters["cid"] == provisional.description { draft.parameters["cid"] = known.description }
  }

  mutating func resolveUser(_ user: String?) {}
}
