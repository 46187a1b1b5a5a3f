import Foundation
import TernBase
import TernCrash
import TernEvents
import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `A crash report` {
  static let text = """
    tern-crash 1
    id 01a21b51-66dd-79aa-b67a-1e9c1c1d449e
    time 1795754649316
    uptime 6000
    process 28031
    signal 11 SIGSEGV 1 0x8
    context {"session":"01a21b51-66de-7e2b-bd7a-ae6f6f52563a","user":"ü","device":{"osName":"Debian","osVersion":"12",\
    "model":"M","locale":"C","timeZoneOffset":-90,"sdkName":"s","sdkVersion":"1","extra":"x"},"app":{"version":"2",\
    "build":"3","namespace":"n"}}
    message Fatal error: no
    thread 28031 My App
    frame 0x5625370e21de
    frame 0x7f88fafbae5f
    frame 0x1
    register rip 0x5625370e21de
    image 0x5625370b2000 0x562537351000 0x5625370b1000 accddfbc500583cc /opt/My App (beta)/My App (deleted)
    image 0x7f88f9000000 0x7f88fb000000 0x7f88f9000000 - /usr/lib/libswiftCore.so
    thread 28032 worker
    frame 0x7f88fafbae00
    end
    """

  private var crash: CaughtCrash {
    get throws { try #require(CaughtCrash(bytes: Array(Self.text.utf8))) }
  }

  @Test func `is decoded`() throws {
    let crash = try crash
    #expect(crash.id.description == "01a21b51-66dd-79aa-b67a-1e9c1c1d449e" && crash.isComplete)
    #expect(crash.time.millisecondsSince1970 == 1_795_754_649_316 && crash.uptime == .seconds(6))
    #expect(crash.signal == 11 && crash.signalName == "SIGSEGV" && crash.code == 1 && crash.address == 8)
    #expect(crash.threads.map(\.name) == ["My App", "worker"] && crash.threads.map(\.frames.count) == [3, 1])
    #expect(crash.images.map(\.name) == ["My App", "libswiftCore.so"])
    let process = TernClient.PreviousProcess(crash)
    #expect(process.user == "ü" && process.launched == crash.time - .seconds(6))
    #expect(process.session?.description == "01a21b51-66de-7e2b-bd7a-ae6f6f52563a")
    let device = try #require(process.device)
    #expect(device.osName == "Debian" && device.timeZoneOffsetMinutes == -90 && device.others == ["extra": "x"])
    #expect(device.appVersion == "2" && device.appBuild == "3" && device.appNamespace == "n")
  }

  @Test func `becomes an exception whose frames have image, offset and build identifier`() throws {
    let exception = try crash.exception
    #expect(exception.type == "SIGSEGV" && exception.message == "Fatal error: no")
    #expect(
      exception.frames.map(\.code) == [
        "My_App(+0x311de) [accddfbc500583cc]", "libswiftCore.so(+0x1fbae5f) []", "?",
      ])
    #expect(exception.frames.map(\.address) == ["0x5625370e21de", "0x7f88fafbae5f", "0x1"])
    let lines = try #require(exception.stackTrace).split(separator: "\n")
    #expect(lines.contains("  0x5625370b2000 My_App [accddfbc500583cc]"))
    #expect(lines.contains("Thread 28032 worker:") && lines.contains("  0x7f88fafbae00 libswiftCore.so(+0x1fbae00)"))
  }

  @Test func `has a message of its own without one from the runtime`() throws {
    let bytes = Self.text.replacing("message Fatal error: no\n", with: "").utf8
    #expect(CaughtCrash(bytes: Array(bytes))?.exception.message == "SIGSEGV (11), code 1, address 0x8")
  }

  @Test func `is none without its first line, identifier, time or signal`() {
    for missing in ["tern-crash", "id", "time", "signal"] {
      let lines = Self.text.split(separator: "\n").filter { !$0.hasPrefix("\(missing) ") }
      #expect(CaughtCrash(bytes: Array(lines.joined(separator: "\n").utf8)) == nil)
    }
    #expect(CaughtCrash(bytes: []) == nil)
  }

  @Test func `that ends anywhere is decoded as far as it goes`() {
    let bytes = Array(Self.text.utf8)
    for end in bytes.indices {
      guard let crash = CaughtCrash(bytes: Array(bytes[..<end])) else { continue }
      #expect(!crash.isComplete && crash.exception.type.hasPrefix("S"))
      _ = CrashContext(crash.context)
    }
  }

  @Test func `of arbitrary bytes never traps`() {
    var generator = FastGenerator(seed: 31)
    let valid = Array(Self.text.utf8)
    let values = [
      "0xffffffffffffffff", "-9223372036854775808", "99999999999999999999", "", " ", "\n", "0x", "frame 0x1\n",
    ]
    for _ in 0..<3_000 {
      var bytes = valid
      for _ in 0..<(1 + generator.next() % 8) {
        let position = Int(generator.next() % UInt64(bytes.count))
        switch generator.next() % 4 {
        case 0: bytes[position] = UInt8(truncatingIfNeeded: generator.next())
        case 1: bytes.removeSubrange(position..<min(position + Int(generator.next() % 40), bytes.count))
        case 2:
          bytes.insert(contentsOf: values[Int(generator.next() % UInt64(values.count))].utf8, at: position)
        default: bytes.insert(contentsOf: bytes[position..<min(position + 80, bytes.count)], at: position)
        }
        if bytes.isEmpty { bytes = [10] }
      }
      guard let crash = CaughtCrash(bytes: bytes) else { continue }
      #expect(crash.exception.encodedMember().count < 48 << 10)
      _ = TernClient.PreviousProcess(crash)
    }
  }

  @Test func `is limited in size, whatever it contains`() throws {
    var text = Self.text
    for number in 0..<20_000 { text += "\nthread \(number) \(String(repeating: "n", count: 99))\nframe 0x\(number)" }
    for number in 0..<20_000 {
      text += "\nimage 0x\(number) 0x\(number + 1) 0x0 - \(String(repeating: "i", count: 99))"
    }
    let crash = try #require(CaughtCrash(bytes: Array(text.utf8)))
    #expect(crash.threads.count <= 128 && crash.images.count <= 512)
    #expect(crash.exception.encodedMember().count < 48 << 10)
  }

  @Test func `has a context that fits, without the device if that is too large`() {
    let user = String(repeating: "\u{1}", count: 900)
    let full = CrashContext.encoded(
      session: UniqueID(high: 1, low: 2), user: user, device: Array("\"device\":{\"osName\":\"\(user)\"}".utf8))
    #expect(full.count <= CrashContext.maximumBytes)
    let large = CrashContext.encoded(
      session: UniqueID(high: 1, low: 2), user: user, device: [UInt8](repeating: 0x20, count: 8000))
    #expect(large.count <= CrashContext.maximumBytes)
    #expect(CrashContext(large).user?.count == 768 && CrashContext(large).device == nil)
  }
}

@Suite struct `A crash that the system reports later` {
  private static let stacks = """
    {"callStackPerThread":true,"callStacks":[{"threadAttributed":false,"callStackRootFrames":[{"binaryName":"Other"}]},
    {"threadAttributed":true,"callStackRootFrames":[{"binaryName":"App","binaryUUID":"70B89F27-1634-3580-A695-57CDB41D7743",
    "offsetIntoBinaryTextSegment":4660,"address":7170766264,"subFrames":[{"binaryName":"libdyld","offsetIntoBinaryTextSegment":16}]}]}]}
    """

  private func diagnostic(_ stacks: String) -> CrashDiagnostic {
    CrashDiagnostic(
      signal: 11, exceptionType: 1, exceptionCode: 2, terminationReason: nil, appVersion: "0.9", appBuild: "8",
      periodStart: Date(timeIntervalSince1970: 1), time: Date(timeIntervalSince1970: 5), callStacks: Data(stacks.utf8))
  }

  @Test func `has the frames of the thread that crashed, and the app's version of that time`() {
    let crash = diagnostic(Self.stacks)
    #expect(crash.exception.type == "SIGSEGV" && crash.exception.message == "Exception 1, code 2")
    #expect(
      crash.exception.frames.map(\.code) == ["App(+0x1234) [70b89f2716343580a69557cdb41d7743]", "libdyld(+0x10) []"])
    let process = crash.process(nil, on: TestHarness.device)
    #expect(process.device?.appVersion == "0.9" && process.time.millisecondsSince1970 == 5000)
  }

  @Test func `has the type and message of the exception that was not caught`() {
    var crash = diagnostic(Self.stacks)
    (crash.exceptionName, crash.exceptionReason) = ("NSRangeException", "index 3 beyond bounds [0 .. 2]")
    #expect(crash.exception.type == "NSRangeException" && crash.exception.message == "index 3 beyond bounds [0 .. 2]")
    #expect(crash.signalName == "SIGSEGV")
  }

  @Test func `has the same identifier if it is delivered twice, and another one otherwise`() {
    let id = diagnostic(Self.stacks).process(nil, on: TestHarness.device).id
    #expect(id == diagnostic(Self.stacks).process(nil, on: TestHarness.device).id)
    #expect(id != diagnostic("{}").process(nil, on: TestHarness.device).id)
    #expect(diagnostic("no JSON").exception.frames.isEmpty)
  }
}
