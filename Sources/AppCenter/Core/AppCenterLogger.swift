import Dispatch
import Foundation
import Tern
import TernBase
import TernEvents

/// Writes messages to the app's handler or, filtered by level, to the system log.
package final class AppCenterLogger: Sendable {
  /// `@unchecked Sendable`: the app's handler is only called on one serial queue, as the original documented.
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

  /// Lowers the level to warnings unless the app has set one.
  func showWarnings() {
    state.withLock { state in
      if !state.isSetByApp { state.level = .warning }
    }
  }

  package func write(_ messages: [LogMessage]) {
    for message in messages {
      write(
        message.level, message.tag, message.text, file: message.place.file, function: message.place.function,
        line: message.place.line)
    }
  }

  package func write(
    _ level: LogLevel, _ tag: Tag, _ text: @autoclosure () -> String, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    // Static strings live as long as the process.
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
      // The pointers may end with this call: the handler gets copies that live until it returns.
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

  /// Logs a change in the outcome of delivery attempts.
  func write(attempt error: DeliveryError?) {
    guard let error else { return write(.info, .core, "The collector accepted the events.") }
    let summary =
      error.code == .refused
      ? "The collector rejected the events" : "The events were not delivered and stay on the device"
    write(.warning, .core, "\(summary): \(error.message)")
  }

  /// Waits until all messages so far are handled.
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
