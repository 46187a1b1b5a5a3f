import Foundation
import TernEvents

extension CallStackTree {
  /// Returns stacks in the JSON that this type reads. Calls are nested as deep as they are, so nothing here is recursive.
  ///
  /// - Parameters:
  ///   - stacks: The threads with their outermost nodes, and whether they are the ones that ended the process.
  ///   - inner: Returns the nodes inside another.
  static func json<Node>(
    of stacks: [(isAttributed: Bool, frames: [Node])], frame: (Node) -> Frame, inner: (Node) -> [Node]
  ) -> Data {
    var json = JSONWriter(capacity: 16 << 10)
    var count = 0
    json.raw("{\"callStacks\":[")
    for (number, stack) in stacks.enumerated() {
      json.raw(number == 0 ? "{\"threadAttributed\":" : ",{\"threadAttributed\":")
      json.boolean(stack.isAttributed)
      json.raw(",\"callStackRootFrames\":[")
      var levels = [stack.frames[...]]
      while var level = levels.popLast() {
        guard let node = level.popFirst(), count < maximumNodes else {
          json.raw(levels.isEmpty ? "]" : "]}")
          continue
        }
        count += 1
        if json.bytes.last == UInt8(ascii: "}") { json.raw(",") }
        frame(node).write(to: &json)
        levels += [level, inner(node)[...]]
      }
      json.raw("}")
    }
    json.raw("]}")
    return Data(json.bytes)
  }
}

extension CallStackTree.Frame {
  /// Writes the frame and the beginning of the list of those inside it.
  fileprivate func write(to json: inout JSONWriter) {
    json.raw("{")
    for (key, value) in [("offsetIntoBinaryTextSegment", offset), ("address", address), ("sampleCount", samples)] {
      guard let value else { continue }
      json.string(key)
      json.raw(":")
      json.raw(Array(String(value).utf8))
      json.raw(",")
    }
    for (key, value) in [("binaryName", binaryName), ("binaryUUID", binaryUUID)] {
      guard let value else { continue }
      json.string(key)
      json.raw(":")
      json.string(value)
      json.raw(",")
    }
    json.raw("\"subFrames\":[")
  }
}
