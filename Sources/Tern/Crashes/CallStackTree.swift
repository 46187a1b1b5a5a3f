import Foundation

/// The call stacks in MetricKit's JSON.
///
/// Frames are nested as deep as their calls, and Foundation's decoders stop at 512 levels: a recursion without an end would
/// have no stack. This reader keeps its levels in an array, and ignores what it doesn't know.
struct CallStackTree {
  struct Frame: Equatable {
    var binaryName: String?
    var binaryUUID: String?
    var offset: UInt64?
    var address: UInt64?
    /// The number of samples in which the frame was seen.
    var samples: UInt64 = 0
  }

  /// The most frames that are read, and the most levels of anything.
  static let maximumNodes = 500_000
  /// The most frames of a stack.
  static let maximumFrames = 128

  private struct Node {
    var frame = Frame()
    /// The frame with the most samples of those inside this one, and the first of these.
    var next: Int?
    var parent: Int?
  }

  private struct Stack {
    var isAttributed = false
    var root: Int?
  }

  /// A level of the JSON.
  private enum Level {
    case other, stacks
    case stack(Int)
    case frames(stack: Int, parent: Int?)
    case frame(Int, stack: Int)
  }

  private var stacks: [Stack] = []
  private var nodes: [Node] = []

  /// Reads the JSON as far as it is undamaged.
  init(_ json: Data) {
    var scanner = JSONScanner(bytes: [UInt8](json))
    var levels: [Level] = []
    var key = ""
    reading: while let token = scanner.next() {
      switch token {
      case .key(let text): key = text
      case .open:
        guard levels.count < Self.maximumNodes, nodes.count < Self.maximumNodes else { break reading }
        levels.append(level(in: levels.last ?? .other, key: key))
        key = ""
      case .close:
        if case .frame(let number, let stack) = levels.popLast() { finish(number, in: stack) }
      case .value(let text):
        switch levels.last {
        case .stack(let number) where key == "threadAttributed": stacks[number].isAttributed = text == "true"
        case .frame(let number, _): nodes[number].frame.set(key, text)
        default: break
        }
      }
    }
    // The frames that the end has left open.
    for case .frame(let number, let stack) in levels.reversed() { finish(number, in: stack) }
  }

  /// Returns the level that begins inside another.
  private mutating func level(in outer: Level, key: String) -> Level {
    switch (outer, key) {
    case (.other, "callStacks"): return .stacks
    case (.stacks, _):
      stacks.append(Stack())
      return .stack(stacks.count - 1)
    case (.stack(let number), "callStackRootFrames"): return .frames(stack: number, parent: nil)
    case (.frame(let number, let stack), "subFrames"): return .frames(stack: stack, parent: number)
    case (.frames(let stack, let parent), _):
      nodes.append(Node(parent: parent))
      return .frame(nodes.count - 1, stack: stack)
    default: return .other
    }
  }

  /// Compares a frame with the best one beside it; its samples are known at its end.
  private mutating func finish(_ number: Int, in stack: Int) {
    func better(_ other: Int?) -> Int? {
      guard let other, nodes[other].frame.samples >= nodes[number].frame.samples else { return number }
      return other
    }
    if let parent = nodes[number].parent {
      nodes[parent].next = better(nodes[parent].next)
    } else {
      stacks[stack].root = better(stacks[stack].root)
    }
  }

  /// The frames of the thread that crashed or hung, the innermost first.
  ///
  /// - Parameter isSampled: True for a hang, whose frames contain those that they call, in several samples: the path of the
  ///   most samples counts. The frames of a crash contain their callers.
  func frames(isSampled: Bool) -> [Frame] {
    let stack = stacks.first { $0.isAttributed && $0.root != nil } ?? stacks.first { $0.root != nil }
    var path: [Int] = []
    var next = stack?.root
    while let number = next {
      path.append(number)
      // The outermost frames of a deep stack don't count.
      if !isSampled, path.count == Self.maximumFrames { break }
      next = nodes[number].next
    }
    return (isSampled ? path.reversed().prefix(Self.maximumFrames) : path[...]).map { nodes[$0].frame }
  }
}

extension CallStackTree.Frame {
  /// The sizes from which an offset is an address: iOS 14 and 15 and macOS 12 send the load address of the image.
  private static let addressSpace: UInt64 = 1 << 32

  fileprivate mutating func set(_ key: String, _ text: String) {
    switch key {
    case "binaryName": binaryName = text
    case "binaryUUID": binaryUUID = text
    case "offsetIntoBinaryTextSegment": offset = UInt64(text)
    case "address": address = UInt64(text)
    case "sampleCount": samples = UInt64(text) ?? 0
    default: break
    }
  }

  /// The frame in the form of docs/protocols.md.
  ///
  /// - Parameter isInnermost: False for a caller. Its address is the one to which the call returns, but the system's offset is
  ///   one less already, within the call.
  func place(isInnermost: Bool) -> String? {
    guard binaryName != nil || binaryUUID != nil, var offset else { return nil }
    if offset >= Self.addressSpace {
      guard let address, address >= offset, address - offset < Self.addressSpace else { return nil }
      offset = address - offset
      if !isInnermost, offset > 0 { offset -= 1 }
    }
    let reserved: Set<Character> = ["(", ")", "[", "]", "+"]
    let name = String((binaryName ?? "?").map { $0.isWhitespace || reserved.contains($0) ? "_" : $0 })
    let identifier = (binaryUUID ?? "").filter { $0 != "-" }.lowercased()
    return "\(name)(+0x\(String(offset, radix: 16))) [\(identifier)]"
  }
}

/// Reads the tokens of JSON, which may be damaged or end anywhere.
private struct JSONScanner {
  enum Token {
    /// The name of a member, or an object or array begins or ends.
    case key(String), open, close
    /// A text, a number or a constant.
    case value(String)
  }

  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Token? {
    while position < bytes.count {
      let start = position
      position += 1
      switch bytes[start] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): return .open
      case UInt8(ascii: "}"), UInt8(ascii: "]"): return .close
      case UInt8(ascii: "\""):
        guard let text = text(from: start) else { return nil }
        while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
        return position < bytes.count && bytes[position] == UInt8(ascii: ":") ? .key(text) : .value(text)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        let stops = Array(",}] \n\r\t".utf8)
        while position < bytes.count, !stops.contains(bytes[position]) { position += 1 }
        return .value(String(decoding: bytes[start..<position], as: UTF8.self))
      default: continue
      }
    }
    return nil
  }

  /// Returns the text whose quotation mark is at a position, and moves past it.
  private mutating func text(from start: Int) -> String? {
    var hasEscapes = false
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      if bytes[position] == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
      }
      position += 1
    }
    guard position < bytes.count else { return nil }
    position += 1
    guard hasEscapes else { return String(decoding: bytes[start + 1..<position - 1], as: UTF8.self) }
    return (try? JSONDecoder().decode(String.self, from: Data(bytes[start..<position]))) ?? ""
  }
}
