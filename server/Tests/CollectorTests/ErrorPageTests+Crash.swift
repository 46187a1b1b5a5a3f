import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse
import WarehouseSQLite

/// The pages of a crash that the SDK caught.
extension ErrorPageTests {
  private static let crash = #"""
    ,"exception":{"type":"SIGSEGV","message":"SIGSEGV (11), address 0x8","frames":[
    {"address":"0x7f0000001000","code":"libc.so.6(+0x29d90) [c289da5071a3399d]"},
    {"address":"0x55d0c0a01d8d","methodName":"play","code":"Player<1>(+0x41d8d) [8a7f0c1de2b34455]"}],
    "stackTrace":"Process: 7\nThread: 12 main\nRegisters:\n  rax 0x5\n  rip 0x55d0c0a01d8d\nImages:\n  0x55d0c09c0000 Player<1> [8a7f0c1de2b34455]\n  0x7f0000000000 libc.so.6 [c289da5071a3399d]\nThread 13 decoder:\n  0x7f0000002000 libc.so.6(+0x2ad90)\n"}
    """#.replacing("\n", with: "")

  @Test func `a caught crash is shown with the app's own calls, other threads, registers and images`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      _ = try await send([line("crash", 2, Self.crash)], client, key: app.key)
      try await warehouse.flush()
      let page = try await page("/apps/1/error?occurrence=1", client, cookie)
      #expect(page.contains("Thread 12 main") && page.contains("crashed") && page.contains("1 other thread"))
      #expect(page.contains(#"<li class="own"><code><bdi>play</bdi></code> <span class="origin"><bdi>Player&lt;1&gt;"#))
      #expect(page.contains(#"<li class="foreign"><code><bdi>libc.so.6 + 0x29d90"#))
      #expect(page.contains("Thread 13 decoder") && page.contains("libc.so.6 + 0x2ad90"))
      #expect(page.contains("<bdi>rax</bdi></dt><dd><bdi>0x5</bdi>") && page.contains("2 images and the registers"))
      #expect(page.contains("8a7f0c1de2b34455") && page.contains("0x55d0c09c0000"))
      #expect(!page.contains("calls may be missing"))
      let cut = Self.crash.replacing("Registers:", with: "The report is incomplete.\\nRegisters:")
      _ = try await send([line("crash", 3, cut)], client, key: app.key)
      try await warehouse.flush()
      #expect(try await self.page("/apps/1/error?occurrence=2", client, cookie).contains("calls may be missing"))
    }
  }

  @Test func `a crash shows the app's steps among the earlier events of its session, by time`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      let text = line("crash", 2_000, Self.crash + #","steps":[EARLY,LATE],"properties":{"plan":"gold"}"#)
      let time = try #require(text.firstMatch(of: #/"time":([0-9]+)/#).flatMap { Int64($0.1) })
      let steps = [("EARLY", 1_500, "Opened <cart>"), ("LATE", 100, "Paid\\u0007")]
      let crash = steps.reduce(text) { text, step in
        text.replacing(step.0, with: #"{"time":\#(time - Int64(step.1)),"text":"\#(step.2)"}"#)
      }
      let events = [line("event", 1, #","name":"Launched""#), line("event", 1_000, #","name":"Chose card""#)]
      _ = try await send(events + [crash], client, key: app.key)
      try await warehouse.flush()
      let page = try await page("/apps/1/error?occurrence=3", client, cookie)
      let places = ["Launched", "Opened &lt;cart&gt;", "Chose card", "Paid"].map { page.firstRange(of: $0)?.lowerBound }
      #expect(places.compactMap { $0 }.count == 4)
      #expect(zip(places, places.dropFirst()).allSatisfy { $0 ?? page.endIndex < $1 ?? page.startIndex })
      let shown = page.matches(of: #/<li[^>]* class="step">.*?</li>/#.dotMatchesNewlines()).map { String($0.0) }
      #expect(shown.count == 2 && page.contains("gold") && !shown.contains { $0.contains("gold") })
    }
  }

  @Test func `the page of a crash says how many users would have had none without it`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      func event(_ kind: String, _ number: Int, _ install: Int, _ more: String = #","name":"x""#) -> String {
        line(kind, number, more).replacing(
          "0C7C9D1E-5A77-4E0C-8F0B-3B8E1D0F9A42", with: "0C7C9D1E-5A77-4E0C-8F0B-00000000000\(install)")
      }
      let other = #","exception":{"type":"Other","message":"m","frames":[{"methodName":"stop"}]}"#
      // Four installs, of which one has this crash, one the other, and one both. This crash is the only row of the first.
      let lines = [
        event("crash", 1, 1, Self.crash), event("crash", 2, 2, Self.crash), event("crash", 3, 2, other),
        event("crash", 4, 3, other), event("event", 5, 4),
      ]
      _ = try await send(lines, client, key: app.key)
      try await warehouse.flush()
      let page = try await page("/apps/1/error?group=1", client, cookie)
      #expect(page.contains("Crash-free users") && page.contains("25") && page.contains("without this crash"))
      let hint = try #require(page.firstMatch(of: #/([0-9.]+)\s*%[^<]{0,3}without this crash/#))
      #expect(hint.1 == "50" || hint.1 == "50.0" || hint.1 == "50.00", "\(hint.0)")
      let handled = try await self.page("/apps/1/error?group=2", client, cookie)
      #expect(handled.contains("without this crash"))
    }
  }
}
