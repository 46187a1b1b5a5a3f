package import Tern
import TernEvents

/// The tag of log messages.
package enum Tag: String, Sendable {
  case core = "AppCenter"
  case analytics = "AppCenterAnalytics"
  case crashes = "AppCenterCrashes"
}

/// A log message returned by a decision; written after unlocking.
package struct LogMessage: Sendable {
  package var level: LogLevel
  package var tag: Tag
  package var text: String
  /// The place in the source that created it.
  package var place: Place

  /// A place in the source.
  package struct Place: Sendable {
    var file: StaticString
    var function: StaticString
    var line: UInt32
  }

  package init(
    _ level: LogLevel, _ tag: Tag, _ text: String, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    self.level = level
    self.tag = tag
    self.text = text
    place = Place(file: file, function: function, line: line)
  }
}

extension [LogMessage] {
  /// Appends a message from the caller's place in the source.
  package mutating func add(
    _ level: LogLevel, _ tag: Tag, _ text: String, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    append(LogMessage(level, tag, text, file: file, function: function, line: line))
  }
}

extension LogMessage {
  /// Returns the messages for an event that was not recorded; none if it was recorded, or if recording is off.
  package static func refusal(_ receipt: Receipt, _ what: String, _ tag: Tag) -> [LogMessage] {
    var messages: [LogMessage] = []
    if let reason = receipt.refusal, reason != .disabled {
      messages.add(.error, tag, "\(what) was not recorded: \(words(reason))")
    }
    if receipt.refusedAttachments > 0 {
      messages.add(
        .error, tag,
        "\(receipt.refusedAttachments) of its attachments were left out: the storage cannot hold them.")
    }
    return messages
  }

  private static func words(_ reason: DropReason) -> String {
    switch reason {
    case .queueFull: "the storage is full of more important events."
    case .tooLarge: "with its device properties it is too large, or larger than the storage."
    case .storageFailed: "it could not be written to the disk."
    default: "\(reason)."
    }
  }
}
