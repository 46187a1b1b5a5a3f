import Foundation
import TernEvents
import Testing

@testable import Tern

@Suite struct `Call stacks in MetricKit's JSON` {
  private func tree(_ frames: String, attributed: Bool = true) -> CallStackTree {
    CallStackTree(
      Data(
        """
        {"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":\(attributed),
        "callStackRootFrames":[\(frames)]}]}}
        """.utf8))
  }

  private func frame(
    _ name: String, offset: UInt64 = 1, samples: Int = 1, _ inner: [String] = []
  ) -> String {
    // The system writes the members in this order: the name and the address follow what is inside.
    let inside = inner.isEmpty ? "" : #""subFrames" : [\#(inner.joined(separator: ", "))],"#
    return #"{"binaryUUID" : "70B89F27-1634-3580-A695-57CDB41D7743", "offsetIntoBinaryTextSegment" : \#(offset), "#
      + #""sampleCount" : \#(samples), \#(inside) "binaryName" : "\#(name)", "address" : \#(offset + 4_096)}"#
  }

  @Test(arguments: [1, 127, 128, 255, 512, 20_000])
  func `a recursion has its innermost frames, however deep it is`(depth: Int) {
    let head = (0..<depth).map { number in
      #"{"offsetIntoBinaryTextSegment":\#(number),"binaryUUID":"","subFrames":["#
    }
    let json = head.joined() + (0..<depth).map { #"],"binaryName":"App\#($0)"}"# }.joined()
    let frames = tree(json).frames(isSampled: false)
    #expect(frames.count == min(depth, 128))
    #expect(frames.map(\.offset) == (0..<UInt64(min(depth, 128))).map { $0 })
    #expect(frames.first?.binaryName == "App\(depth - 1)")
  }

  @Test func `a hang has the frames of the most samples, the innermost first`() {
    let leaf = frame("leaf", samples: 5, [])
    let other = frame("other", samples: 3, [frame("rare", samples: 3)])
    let first = frame("few", samples: 2, [frame("deep", samples: 2, [frame("deeper", samples: 2)])])
    let json = frame("start", samples: 10, [first, other, frame("run", samples: 5, [leaf])])
    #expect(tree(json).frames(isSampled: true).map(\.binaryName) == ["leaf", "run", "start"])
    // The first of several roots has no more samples than the second.
    let roots = frame("idle", samples: 1) + "," + json
    #expect(tree(roots).frames(isSampled: true).map(\.binaryName) == ["leaf", "run", "start"])
    let equal = frame("a", samples: 1, [frame("b"), frame("c")])
    #expect(tree(equal).frames(isSampled: true).map(\.binaryName) == ["b", "a"])
  }

  @Test func `a deep hang has its innermost frames`() {
    var json = frame("0")
    for number in 1..<400 { json = frame("\(number)", [json]) }
    #expect(tree(json).frames(isSampled: true).map(\.binaryName) == (0..<128).map(String.init))
  }

  @Test func `a load address in place of the offset is subtracted, and callers are within their call`() {
    // As iOS 14 sends them: the innermost frame, and a return address.
    let load: UInt64 = 4_331_307_008
    let frames = [4_331_327_932, 4_331_345_300].map {
      CallStackTree.Frame(
        binaryName: "My App+", binaryUUID: "7C9A24C6-CB84-3053-8481-DA167DA8FB9C", offset: load, address: $0)
    }
    let identifier = "[7c9a24c6cb8430538481da167da8fb9c]"
    #expect(frames[0].place(isInnermost: true) == "My_App_(+0x51bc) \(identifier)")
    #expect(frames[1].place(isInnermost: false) == "My_App_(+0x9593) \(identifier)")
    // Later systems send offsets that are within the call already.
    let later = CallStackTree.Frame(binaryName: "App", offset: 257_799, address: 4_295_225_096)
    #expect(later.place(isInnermost: false) == "App(+0x3ef07) []")
    for address in [nil, 0, load - 1, .max] as [UInt64?] {
      #expect(CallStackTree.Frame(binaryName: "App", offset: load, address: address).place(isInnermost: true) == nil)
    }
  }

  @Test func `a frame without the name of its image keeps identifier and offset`() {
    let json = #"{"binaryUUID":"70B89F27-1634-3580-A695-57CDB41D7743","offsetIntoBinaryTextSegment":16,"address":32}"#
    let frames = tree(json).frames(isSampled: false)
    #expect(frames.map { $0.place(isInnermost: true) } == ["?(+0x10) [70b89f2716343580a69557cdb41d7743]"])
    #expect(CallStackTree.Frame(offset: 16).place(isInnermost: true) == nil)
  }

  @Test func `the thread that crashed counts, or else the first one with frames`() {
    let stacks = { (attributed: Bool) in
      Data(
        """
        {"callStacks":[{"callStackRootFrames":[]},{"callStackRootFrames":[\(frame("first"))]},
        {"callStackRootFrames":[\(frame("crashed"))],"threadAttributed":\(attributed)}]}
        """.utf8)
    }
    #expect(CallStackTree(stacks(true)).frames(isSampled: false).map(\.binaryName) == ["crashed"])
    #expect(CallStackTree(stacks(false)).frames(isSampled: false).map(\.binaryName) == ["first"])
  }

  @Test func `damaged JSON is read as far as it goes, and never traps`() {
    let json = Array(
      #"{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frame("a\\n\\u00e9", [frame("b")]))]}]}"#.utf8
    )
    #expect(CallStackTree(Data(json)).frames(isSampled: false).map(\.binaryName) == ["a\né", "b"])
    for end in json.indices { _ = CallStackTree(Data(json[..<end])).frames(isSampled: true) }
    var generator = FastGenerator(seed: 7)
    for _ in 0..<5_000 {
      var bytes = json
      for _ in 0..<(1 + generator.next() % 6) {
        let position = Int(generator.next() % UInt64(bytes.count))
        switch generator.next() % 3 {
        case 0: bytes[position] = Array("{}[]\",:\\09ae".utf8).randomElement(using: &generator) ?? 0
        case 1: bytes.remove(at: position)
        default: bytes.insert(contentsOf: bytes[position..<min(position + 30, bytes.count)], at: position)
        }
      }
      let frames = CallStackTree(Data(bytes)).frames(isSampled: false)
      #expect(frames.count <= 128)
      for frame in frames { _ = frame.place(isInnermost: false) }
    }
    let deep = String(repeating: "[", count: 2_000_000)
    #expect(CallStackTree(Data(deep.utf8)).frames(isSampled: false).isEmpty)
  }
}
