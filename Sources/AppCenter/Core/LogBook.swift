import Dispatch
import Foundation
package import Tern
import TernEvents

/// A service's name in the log.
package enum Tag: String, Sendable {
  case core = "AppCenter"
  case analytics = "AppCenterAnalytics"
  case crashes = "AppCenterCrashes"
}

/// A message that a decision leaves behind; written after unlocking.
package struct Note: Sendable {
  package var level: LogLevel
  package var tag: Tag
  package var text: String
  /// Where it was left, and not where it is written.
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

extension Note {
  /// What to say when something was not recorded; nothing when it was, or was switched off.
  package static func refusal(_ receipt: Receipt, _ what: String, _ tag: Tag) -> [Note] {
    var notes: [Note] = []
    if let reason = receipt.refusal, reason != .disabled {
      notes.append(Note(.error, tag, "\(what) was not recorded: \(words(reason))"))
    }
    if receipt.refusedAttachments > 0 {
      notes.append(
        Note(
          .error, tag,
          "\(receipt.refusedAttachments) of its attachments were left out: the storage cannot hold them whole."))
    }
    return notes
  }

  private static func words(_ reason: DropReason) -> String {
    switch reason {
    case .queueFull: "the storage is full of what is more important."
    case .tooLarge: "with the facts about the device it is too large, or larger than the storage."
    case .storageFailed: "the disk refused it."
    default: "\(reason)."
    }
  }
}

/// Where messages go: to the app's handler, or by level to the system's log.
package final class LogBook: Sendable {
  /// The app's handler is only called on the one serial queue, which is what it was always promised.
  private struct Handler: @unchecked Sendable {
    let call: LogHandler
  }

  private enum Destination: Sendable {
    case system
    case app(Handler)
    case nowhere
  }

  private struct State {
    var level = LogLevel.assert
    var destination = Destination.system
    var isSetByApp = false
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "tern.appcenter.log")
  private let write: @Sendable (String) -> Void

  init(_ write: @escaping @Sendable (String) -> Void) {
    self.write = write
  }

  package var level: LogLevel {
    get { state.withLock { $0.level } }
    set {
      state.withLock { state in
        state.level = newValue
        state.isSetByApp = true
      }
    }
  }

  package var handler: LogHandler? {
    get {
      let destination = state.withLock { $0.destination }
      if case .app(let handler) = destination { return handler.call }
      return nil
    }
    set {
      let destination: Destination = newValue.map { .app(Handler(call: $0)) } ?? .nowhere
      state.withLock { state in
        state.destination = destination
        state.isSetByApp = true
      }
    }
  }

  /// The app is being developed: warnings are worth showing, unless it said otherwise.
  func showWarnings() {
    state.withLock { state in
      if !state.isSetByApp { state.level = .warning }
    }
  }

  package func write(_ notes: [Note]) {
    for note in notes {
      write(
        note.level, note.tag, note.text, file: note.place.file, function: note.place.function, line: note.place.line)
    }
  }

  package func write(
    _ level: LogLevel, _ tag: Tag, _ text: @autoclosure () -> String, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    // A static string lives as long as the process.
    let names = (file.cString, function.cString)
    write(level, tag.rawValue, text(), file: names.0, function: names.1, line: line)
  }

  func write(
    _ level: LogLevel, _ tag: String, _ text: @autoclosure () -> String, file: UnsafePointer<CChar>?,
    function: UnsafePointer<CChar>?, line: UInt32
  ) {
    let (destination, threshold) = state.withLock { ($0.destination, $0.level) }
    switch destination {
    case .nowhere: return
    case .system:
      guard level != .none, level.rawValue >= threshold.rawValue else { return }
      let place = function.map { String(cString: $0) } ?? ""
      write("[\(tag)] \(level.title): \(place)/\(line) \(text())")
    case .app(let handler):
      let text = text()
      // The pointers' own lifetime ends with the caller's: what the handler gets is kept until it returns.
      let names = (file.map { String(cString: $0) }, function.map { String(cString: $0) })
      queue.async {
        (names.0 ?? "").withCString { file in
          (names.1 ?? "").withCString { function in
            handler.call({ text }, level, tag, file, function, line)
          }
        }
      }
    }
  }

  /// Tells how sending goes; only changes are told.
  func write(attempt error: DeliveryError?) {
    guard let error else { return write(.info, .core, "The collector has taken what was sent.") }
    let fate = error.code == .refused ? "What was sent was refused" : "What was sent has not arrived, and stays here"
    write(.warning, .core, "\(fate): \(error.message)")
  }

  /// Returns when every message so far was handled.
  package func drain() { queue.sync {} }
}

extension LogLevel {
  var title: String {
    switch self {
    case .verbose: "VERBOSE"
    case .debug: "DEBUG"
    case .info: "INFO"
    case .warning: "WARNING"
    case .error: "ERROR"
    case .assert: "ASSERT"
    case .none: "NONE"
    }
  }
}

extension StaticString {
  fileprivate var cString: UnsafePointer<CChar>? {
    hasPointerRepresentation ? UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) : nil
  }
}
