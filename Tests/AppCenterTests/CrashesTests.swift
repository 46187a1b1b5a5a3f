import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernBase
import TernCrash
import TernEvents
import TernTestSupport
import Testing

/// A source with crash reports; they stay until they are removed.
final class LeftReports: CrashSource {
  private let left = Locked<[CrashReport]>([])
  let hadMemoryWarning = Locked<Bool?>(nil)
  private let found = Locked<(@Sendable (CrashReport) -> Void)?>(nil)

  static let session = UniqueID(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
  static let device = Device(osName: "TestOS", osVersion: "9", locale: "de_DE", appVersion: "0.9", appBuild: "8")

  init(_ count: Int) { add(count) }

  /// Adds the reports of a number of crashes.
  func add(_ count: Int) {
    left.withLock { left in
      for number in left.indices { left[number].isOfLastLaunch = false }
      let end = left.count + count
      for number in left.count..<end {
        left.append(
          CrashReport(
            exception: ExceptionFacts(type: "SIGSEGV", message: "at 0x\(number)"),
            origin: .init(
              id: Self.id(number), time: Timestamp(millisecondsSince1970: 2000),
              launched: Timestamp(millisecondsSince1970: 1000), session: Self.session, user: "bob",
              device: Self.device),
            signal: "SIGSEGV", processIdentifier: 77, isOfLastLaunch: number == end - 1))
      }
    }
  }

  static func id(_ number: Int) -> UniqueID { UniqueID(high: 7, low: UInt64(number)) }

  var count: Int { left.withLock { $0.count } }
  func reports() -> [CrashReport] { left.withLock { $0 } }
  func remove(_ ids: [UniqueID]) { left.withLock { $0.removeAll { ids.contains($0.id) } } }
  func start(_ client: TernClient, onReport: @escaping @Sendable (CrashReport) -> Void) {
    found.withLock { $0 = onReport }
  }

  func takeMemoryWarning() -> Bool { hadMemoryWarning.withLock { $0.take() } ?? false }

  /// Delivers the report of one more crash, as the system does after the start.
  func deliver() {
    add(1)
    if let found = found.withLock({ $0 }), let last = reports().last { found(last) }
  }
}

final class CrashesListener: CrashesDelegate {
  let log = Locked<[String]>([])
  let isWanted: Bool

  init(isWanted: Bool = true) { self.isWanted = isWanted }

  private func record(_ text: String) { log.withLock { $0.append(text) } }

  func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool {
    record("should \(errorReport.incidentIdentifier.suffix(1))")
    return isWanted
  }
  func attachments(with crashes: Crashes, for errorReport: ErrorReport) -> [ErrorAttachmentLog]? {
    [ErrorAttachmentLog(filename: "log.txt", attachmentText: "lines")]
  }
  func crashes(_ crashes: Crashes, willSend errorReport: ErrorReport) { record("will") }
  func crashes(_ crashes: Crashes, didSucceedSending errorReport: ErrorReport) { record("did") }
}

extension `App Center` {
  @Suite struct `Errors and crashes` {
    private struct Broken: Error, CustomStringConvertible { let description = "It broke" }

    private func started(_ count: Int = 0) throws -> ModuleHarness {
      let left = LeftReports(count)
      return try ModuleHarness { $0.crashes = left }
    }

    @Test func `the last session had a memory warning if the system sent one, and the one after that had not`()
      async throws
    {
      let left = LeftReports(0)
      left.hadMemoryWarning.withLock { $0 = true }
      let modules = try ModuleHarness { $0.crashes = left }
      #expect(!Crashes.hasReceivedMemoryWarningInLastSession, "unknown before the start")
      modules.startQuietly([Crashes.self])
      #expect(Crashes.hasReceivedMemoryWarningInLastSession)
      await modules.end()
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tern-test-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let reports = CrashDirectory(inQueue: directory.path)
      let crashes = SystemCrashes(queue: directory)
      #expect(!crashes.takeMemoryWarning())
      reports.noteMemoryWarning()
      reports.noteMemoryWarning()
      #expect(crashes.takeMemoryWarning() && !crashes.takeMemoryWarning())
    }

    @Test func `a handled error has its stack, its limited properties, and the user`() async throws {
      let modules = try started()
      modules.startQuietly([Analytics.self, Crashes.self])
      AppCenter.userId = "alice"
      let long = String(repeating: "x", count: 127)
      let shown = Crashes.trackError(
        Broken(), properties: [long: long],
        attachments: [
          ErrorAttachmentLog(filename: "a.txt", attachmentText: "hello"),
          ErrorAttachmentLog(filename: nil, attachmentBinary: Data([1, 2, 3]), contentType: "image/png"),
        ])
      try await modules.flush()
      // In uppercase, like the original's and a report's identifier.
      #expect(shown == shown.uppercased())
      let id = shown.lowercased()
      let line = try #require(modules.sent("handled_error").first)
      #expect(line["id"] as? String == id && line["user"] as? String == "alice")
      #expect((line["properties"] as? [String: String])?.keys.first?.count == 125)
      let exception = try #require(line["exception"] as? [String: Any])
      #expect(exception["message"] as? String == "It broke" && exception["stackTrace"] as? String != "")
      let attachments = try modules.sent("attachment").compactMap { $0["attachment"] as? [String: Any] }
      #expect(attachments.map { $0["error"] as? String } == [id, id])
      #expect(attachments.map { $0["contentType"] as? String } == ["text/plain", "image/png"])
      #expect(attachments.map { $0["data"] as? String } == ["aGVsbG8=", "AQID"])
      await modules.end()
    }

    @Test func `a Foundation error has its domain as type, and an app's own description is unchanged`()
      async throws
    {
      let modules = try started()
      modules.startQuietly([Crashes.self])
      Crashes.trackError(NSError(domain: "com.example", code: 7), properties: nil, attachments: nil)
      let model = try #require(ExceptionModel(withType: "Custom", exceptionMessage: "m", stackTrace: ["one", "two"]))
      let inner = ExceptionModel()
      inner.type = "Inner"
      model.innerExceptions = [inner]
      Crashes.trackException(model, properties: ["k": "v"], attachments: nil)
      try await modules.flush()
      let exceptions = try modules.sent("handled_error").compactMap { $0["exception"] as? [String: Any] }
      #expect(exceptions.map { $0["type"] as? String } == ["com.example", "Custom"])
      #expect((exceptions[1]["frames"] as? [[String: String]])?.map { $0["code"] } == ["one", "two"])
      #expect((exceptions[1]["innerExceptions"] as? [[String: String]])?.first?["type"] == "Inner")
      await modules.end()
    }

    @Test func `the property tern.fingerprint names the group of an error, and isn't sent as a property`()
      async throws
    {
      let modules = try started()
      modules.startQuietly([Crashes.self])
      Crashes.trackError(Broken(), properties: ["tern.fingerprint": "checkout", "k": "v"], attachments: nil)
      Crashes.trackError(Broken(), properties: ["k": "v"], attachments: nil)
      try await modules.flush()
      let lines = try modules.sent("handled_error")
      #expect(lines.map { $0["properties"] as? [String: String] } == [["k": "v"], ["k": "v"]])
      let prints = lines.map { ($0["exception"] as? [String: Any])?["fingerprint"] as? String }
      #expect(prints == ["checkout", nil])
      await modules.end()
    }

    @Test func `causes that contain themselves, or never end, are recorded up to a limit`() async throws {
      let modules = try started()
      modules.startQuietly([Analytics.self, Crashes.self])
      let outer = try #require(ExceptionModel(withType: "T", exceptionMessage: "m", stackTrace: ["f"]))
      outer.innerExceptions = Array(repeating: outer, count: 16)
      #expect(Crashes.trackException(outer, properties: nil, attachments: nil) != "")
      // Not deeper: releasing a longer chain overflows the stack.
      let chain = (0..<1_000).reduce(outer) { inner, number in
        let next = ExceptionModel()
        next.type = "T\(number)"
        next.innerExceptions = [inner]
        return next
      }
      #expect(Crashes.trackException(chain, properties: nil, attachments: nil) != "")
      try await modules.flush()
      let exceptions = try modules.sent("handled_error").compactMap { $0["exception"] as? [String: Any] }
      #expect(exceptions.map { $0["type"] as? String } == ["T", "T999"])
      outer.innerExceptions = nil
      await modules.end()
    }

    @Test func `an attachment over 7 MiB is left out, with an error in the log`() async throws {
      let modules = try started()
      modules.startQuietly([Crashes.self])
      let data = Data(repeating: 0, count: (7 << 20) + 1)
      Crashes.trackError(
        Broken(), properties: nil,
        attachments: [ErrorAttachmentLog(filename: "big", attachmentBinary: data, contentType: "x/y")])
      #expect(try modules.queued() == 1 && modules.log("ERROR").count == 1)
      await modules.end()
    }

    /// The number of received events by type; attachments arrive in pieces of up to 40 KiB.
    private func sizes(_ modules: ModuleHarness) -> [String: Int] {
      Dictionary(grouping: modules.received, by: \.type).mapValues(\.count)
    }

    @Test func `an attachment that the storage cannot hold is left out completely and evicts nothing`() async throws {
      let modules = try ModuleHarness()
      AppCenter.setMaxStorageSize(256 << 10, completionHandler: nil)
      modules.startQuietly([Analytics.self, Crashes.self])
      Analytics.pause()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      let large = ErrorAttachmentLog(filename: "f", attachmentBinary: Data(count: 500_000), contentType: "a/b")
      let small = ErrorAttachmentLog(filename: "f", attachmentBinary: Data(count: 10_000), contentType: "a/b")
      let error = CocoaError(.fileNoSuchFile)
      #expect(Crashes.trackError(error, properties: nil, attachments: [large!]) != "")
      // The same for an event with a very large device.
      AppCenter.countryCode = String(repeating: "x", count: 60_000)
      #expect(Crashes.trackError(error, properties: nil, attachments: [small!]) != "")
      #expect(modules.log("ERROR").count { $0.contains("1 of its attachments were left out") } == 2)
      Analytics.resume()
      try await modules.flush()
      #expect(modules.names.count == 50)
      #expect(sizes(modules)["handled_error"] == 2 && sizes(modules)["attachment"] == nil)
      #expect(modules.client?.status.droppedByReason == [.tooLarge: 2])
      await modules.end()
    }

    @Test func `attachments that the storage can hold evict older events, and never each other`() async throws {
      let modules = try ModuleHarness()
      AppCenter.setMaxStorageSize(256 << 10, completionHandler: nil)
      modules.startQuietly([Analytics.self, Crashes.self])
      Analytics.pause()
      for number in 0..<1500 { Analytics.trackEvent("E\(number)") }
      let file = ErrorAttachmentLog(filename: "f", attachmentBinary: Data(count: 80_000), contentType: "a/b")
      Crashes.trackError(CocoaError(.fileNoSuchFile), properties: nil, attachments: [file!, file!, file!])
      #expect(modules.log("ERROR").count { $0.contains("1 of its attachments were left out") } == 1)
      Analytics.resume()
      try await modules.flush()
      #expect(sizes(modules)["handled_error"] == 1 && sizes(modules)["attachment"] == 4)
      #expect(modules.names.count < 1500)
      await modules.end()
    }

    @Test func `an attachment of 7 MiB fits into the default storage`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly([Analytics.self, Crashes.self])
      Analytics.pause()
      let file = ErrorAttachmentLog(filename: "f", attachmentBinary: Data(count: 7 << 20), contentType: "a/b")
      Crashes.trackError(CocoaError(.fileNoSuchFile), properties: nil, attachments: [file!])
      #expect(modules.log("ERROR").isEmpty)
      // The error and pieces of up to 40 KiB.
      #expect(modules.client?.status.dropped == 0)
      #expect(try modules.queued() == 1 + (7 << 20) / (40 << 10) + 1)
      await modules.end()
    }

    @Test func `disabling Crashes erases errors and keeps events, and vice versa`() async throws {
      let modules = try started()
      modules.startQuietly([Analytics.self, Crashes.self])
      Analytics.trackEvent("A")
      Crashes.trackError(Broken(), properties: nil, attachments: nil)
      Crashes.enabled = false
      #expect(!Crashes.enabled && Analytics.enabled)
      #expect(Crashes.trackError(Broken(), properties: nil, attachments: nil) == "")
      try await modules.flush()
      #expect(modules.received.map(\.type).sorted() == ["drops", "event"])
      Crashes.enabled = true
      Crashes.trackError(Broken(), properties: nil, attachments: nil)
      Analytics.trackEvent("B")
      Analytics.enabled = false
      try await modules.flush()
      #expect(modules.received.contains { $0.type == "handled_error" } && modules.names == ["A"])
      await modules.end()
    }

    @Test func `crash reports of the previous launch are critical, share the storage, and the delegate is called`()
      async throws
    {
      let modules = try started(2)
      let delegate = CrashesListener()
      Crashes.delegate = delegate
      #expect(!Crashes.hasCrashedInLastSession)
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(
        Crashes.hasCrashedInLastSession
          && Crashes.lastSessionCrashReport?.incidentIdentifier == LeftReports.id(1).description.uppercased())
      #expect(Crashes.lastSessionCrashReport?.signal == "SIGSEGV")
      #expect(Crashes.lastSessionCrashReport?.appProcessIdentifier == 77)
      #expect(Crashes.lastSessionCrashReport?.isAppKill() == false)
      let device = try #require(Crashes.lastSessionCrashReport?.device)
      #expect(device.osName == "TestOS" && device.appVersion == "0.9" && device.appBuild == "8")
      await modules.clock.sleeping(until: .seconds(1003))
      modules.clock.advance(by: .seconds(3))
      let first = await modules.transport.request(number: 1)
      #expect(first.events.prefix(2).map(\.type) == ["crash", "crash"])
      try await modules.flush()
      #expect(try modules.sent("attachment").count >= 2)
      while delegate.log.withLock({ $0 }).count < 6 { await Task.yield() }
      #expect(
        delegate.log.withLock { $0 }.sorted() == ["did", "did", "should 0", "should 1", "will", "will"])
      await modules.relaunch()
      modules.startQuietly([Crashes.self])
      #expect(!Crashes.hasCrashedInLastSession)
      await modules.end()
    }

    @Test func `a report that the delegate rejects is not sent`() async throws {
      let modules = try started(1)
      let delegate = CrashesListener(isWanted: false)
      Crashes.delegate = delegate
      modules.startQuietly([Crashes.self])
      #expect(try modules.queued() == 0 && Crashes.hasCrashedInLastSession)
      await modules.relaunch()
      Crashes.delegate = nil
      modules.startQuietly([Crashes.self])
      #expect(try modules.queued() == 0)
      await modules.end()
    }
  }
}
