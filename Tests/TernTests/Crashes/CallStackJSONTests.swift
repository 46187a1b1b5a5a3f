import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import Tern

@Suite struct `Call stacks of a termination` {
  private struct Node {
    var frame: CallStackTree.Frame
    var inner: [Node] = []
  }

  private static func json(_ stacks: [(isAttributed: Bool, frames: [Node])]) -> Data {
    CallStackTree.json(of: stacks, frame: \.frame, inner: \.inner)
  }

  private static func diagnostic(_ stacks: Data) -> CrashDiagnostic {
    CrashDiagnostic(
      kind: .memoryLimit, appVersion: "1", appBuild: "7", periodStart: Date(timeIntervalSince1970: 1),
      time: Date(timeIntervalSince1970: 5), callStacks: stacks)
  }

  @Test func `are read as they were written, from the thread that ended the process`() {
    let uuid = "70B89F27-1634-3580-A695-57CDB41D7743"
    let inner = Node(frame: .init(binaryName: "App \"x\"", binaryUUID: uuid, offset: 0x20, address: 0x1_0000_0020))
    let beside = Node(frame: .init(binaryName: "Other"))
    let outer = Node(
      frame: .init(binaryName: "libdyld", offset: 16, address: .max, samples: 3), inner: [inner, beside])
    let stacks = Self.json([(false, [beside]), (true, [outer])])
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: stacks) }
    #expect(CallStackTree(stacks).frames(isSampled: false) == [outer.frame, inner.frame])
    let exception = Self.diagnostic(stacks).exception
    #expect(exception.type == "Memory limit" && exception.message?.contains("too much memory") == true)
    #expect(
      exception.frames.map(\.code) == ["libdyld(+0x10) []", "App_\"x\"(+0x20) [70b89f2716343580a69557cdb41d7743]"])
    #expect(CallStackTree(Self.json([])).frames(isSampled: false).isEmpty)
  }

  @Test func `may be nested as deeply as an endless recursion`() {
    let leaf = Node(frame: .init(binaryName: "App", offset: 0))
    let deep = (1...1_000).reduce(leaf) { Node(frame: .init(binaryName: "App", offset: UInt64($1)), inner: [$0]) }
    let frames = CallStackTree(Self.json([(true, [deep])])).frames(isSampled: false)
    #expect(frames.map(\.offset) == (873...1_000).reversed().map(UInt64.init))
  }

  @Test func `belong to a handled error, so that the crash-free sessions don't count it`() async throws {
    let harness = try TestHarness()
    let client = try harness.client()
    client.engine.record(Self.diagnostic(Self.json([])))
    await client.flush()
    let types = try harness.transport.requests.flatMap(\.lines).compactMap {
      try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
    }.compactMap { $0["type"] as? String }
    #expect(types.contains("handled_error") && !types.contains("crash"))
    await client.shutdown()
  }
}
