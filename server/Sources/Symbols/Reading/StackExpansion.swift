import Ingest
import TernBase

/// Puts functions into a stack: a frame becomes as many as were inlined at its position.
///
/// The frames come from a client and the functions from uploaders of symbols, so their product is bounded. A frame at the
/// end of a thread says how many are missing.
struct StackExpansion {
  /// The most frames of a stack.
  static let maximumFrames = 4_096
  /// The most frames of a thread besides the first, which crashed or threw the error.
  static let maximumOtherFrames = 256
  /// The most bytes of the texts of all frames.
  static let maximumTextBytes = 1 << 20

  /// Returns the functions at the position of a frame, the innermost first; none if unknown.
  let functions: (ErrorStack.Frame) -> [ResolvedFrame]

  func applied(to stack: ErrorStack) -> ErrorStack {
    var stack = stack
    var (room, textRoom) = (Self.maximumFrames, Self.maximumTextBytes)
    for thread in stack.threads.indices {
      let frames = stack.threads[thread].frames
      let limit = min(room, thread == 0 ? Self.maximumFrames : Self.maximumOtherFrames)
      var kept: [ErrorStack.Frame] = []
      for (number, frame) in frames.enumerated() {
        let expanded = expanded(frame)
        let bytes = expanded.reduce(0) { $0 + Self.textBytes($1) }
        guard expanded.count <= limit - kept.count, bytes <= textRoom else {
          kept.append(Self.missing(frames.count - number))
          break
        }
        kept += expanded
        textRoom -= bytes
      }
      room = max(room - kept.count, 0)
      stack.threads[thread].frames = kept
    }
    return stack
  }

  private func expanded(_ frame: ErrorStack.Frame) -> [ErrorStack.Frame] {
    let resolved = functions(frame)
    guard !resolved.isEmpty else { return [frame] }
    return resolved.enumerated().map { number, function in
      var frame = frame
      (frame.function, frame.file, frame.line) = (function.function, function.file, function.line)
      frame.isInlined = number < resolved.count - 1
      frame.hasSymbols = true
      return frame
    }
  }

  private static func textBytes(_ frame: ErrorStack.Frame) -> Int {
    frame.text.utf8.count + frame.image.utf8.count + frame.function.utf8.count + frame.file.utf8.count
  }

  private static func missing(_ count: Int) -> ErrorStack.Frame {
    var frame = ErrorStack.Frame()
    frame.text = "… \(count) more \(count == 1 ? "frame" : "frames")"
    return frame
  }
}
