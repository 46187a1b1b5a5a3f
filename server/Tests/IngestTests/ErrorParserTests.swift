import Ingest
import TernEvents
import Testing

@testable import Ingest

/// Tests errors, crashes and attachments of App Center's protocol and of Tern's own.
@Suite struct ErrorParserTests {
  private let time = #""timestamp":"2025-03-02T14:04:09.120Z""#

  private func errors(_ log: String...) throws -> [IncomingError] {
    try parseLogs(Array(#"{"logs":[\#(log.joined(separator: ","))]}"#.utf8)).batch.errors
  }

  private func native(_ type: String, _ more: String, id: Int = 1) -> String {
    #"{"id":"\#(uuid(id))","type":"\#(type)","time":1740924309120,"install":"\#(testInstall)""#
      + #","session":"\#(testSession)"\#(more)}"#
  }

  @Test func `a log with two devices is stored with the last one`() throws {
    let body =
      #"{"logs":[\#(eventLog("A", id: uuid(1))),{"type":"event",\#(time),"id":"\#(uuid(2))","name":"B","device":"#
      + #"{"osName":"one"},"device":{"osName":"two","model":"m"}},\#(eventLog("C", id: uuid(3), more: #","device":{"osName":"one"}"#))]}"#
    let batch = try parseLogs(Array(body.utf8)).batch
    #expect(batch.names(.event) == ["A", "B", "C"] && batch.rejections.isEmpty)
    #expect(batch.events.map { batch.devices[$0.device].osName } == ["", "two", "one"])
  }

  @Test func `many devices in one log do not produce a long list of devices`() throws {
    let devices = (0..<500).map { #""device":{"osName":"\#($0)"}"# }.joined(separator: ",")
    let one = #"{"type":"event",\#(time),"id":"\#(uuid(1))","name":"A",\#(devices)}"#
    let two = eventLog("B", id: uuid(2), more: #","device":{"osName":"x"},"device":{"osName":"x"}"#)
    let batch = try parseLogs(Array(#"{"logs":[\#(one),\#(two)]}"#.utf8)).batch
    #expect(batch.devices.map(\.osName) == ["499", "x"])
  }

  @Test func `an exception becomes type, message and a stack with its causes`() throws {
    let exception =
      #""exception":{"type":"IOError","message":"disk \"C\"","frames":[{"className":"Store","methodName":"open","#
      + #""fileName":"store.ts","lineNumber":12},{"methodName":"main"},{"address":"0x10","code":"0x8 + 8"}],"#
      + #""innerExceptions":[{"type":"Inner","message":"full","stackTrace":"Inner: full\n at a\n at b"}]}"#
    let error = try #require(
      try errors(#"{"type":"handledError",\#(time),"id":"\#(uuid(7))","userId":"u",\#(exception)}"#).first)
    #expect(error.id == uuid(7).lowercased() && error.type == "IOError" && error.message == #"disk "C""#)
    #expect(error.place == "Store.open (store.ts)")
    #expect(
      error.stack == """
          at Store.open (store.ts:12)
          at main
          0x10  0x8 + 8
        Caused by: Inner: full
        Inner: full
         at a
         at b

        """)
    #expect(String(decoding: error.raw, as: UTF8.self).hasPrefix(#"{"type":"handledError","#))
  }

  @Test func `a crash report names the signal, and the crashed thread comes first`() throws {
    let crash =
      #"{"type":"appleError",\#(time),"id":"\#(uuid(1))","osExceptionType":"SIGSEGV","osExceptionCode":"0","#
      + #""osExceptionAddress":"0x00","errorThreadId":4,"threads":[{"id":0,"frames":[{"address":"0x1000","code":"x"}]},"#
      + #"{"id":4,"name":"main","frames":[{"address":"0x0000000104388010"}]}],"binaries":[{"name":"player","#
      + #""startAddress":"0x0000000104388000","endAddress":"0x0000000104413fff"}]}"#
    let error = try #require(try errors(crash).first)
    #expect(error.type == "SIGSEGV" && error.message == "SIGSEGV 0 0x00" && error.place == "player + 0x10")
    #expect(error.stack.hasPrefix("Thread 4 main (crashed):\n  player + 0x10\nThread 0:\n  0x1000  x\n"))
  }

  @Test func `a crash report that names no thread says so, and no idle thread is its place`() throws {
    func stack(_ more: String, _ mark: String = "") throws -> (error: IncomingError, read: ErrorStack) {
      let log =
        #"{"type":"appleError",\#(time),"id":"\#(uuid(1))","osExceptionType":"SIGSEGV"\#(more),"threads":["#
        + #"{"id":0,"frames":[{"address":"0x1000","code":"idle"}]},{"id":4\#(mark),"frames":[{"address":"0x2000","code":"y"}]}]}"#
      return (try #require(try errors(log).first), ErrorStack(raw: log))
    }
    let unknown = try stack("")
    #expect(
      unknown.error.stack.hasPrefix(
        "The report doesn't say which thread crashed.\nThread 0:\n  0x1000  idle\nThread 4:\n"))
    #expect(unknown.error.place.isEmpty && unknown.read.isThreadUnknown)
    #expect(unknown.read.lines.prefix(2) == ["The report doesn't say which thread crashed.", "Thread 0:"])
    for known in [try stack(#","errorThreadId":4"#), try stack("", #","exception":{}"#)] {
      #expect(known.error.stack.hasPrefix("Thread 4 (crashed):\n  0x2000  y\nThread 0:\n") && known.error.place == "y")
      #expect(known.read.threads.map(\.isCrashed) == [true, false] && !known.read.isThreadUnknown)
    }
    // The exception says where it was thrown.
    let thrown = try stack(#","exception":{"type":"E","frames":[{"methodName":"m"}]}"#)
    #expect(
      thrown.error.stack.hasPrefix("  at m\nThread 0:") && thrown.error.place == "m" && !thrown.read.isThreadUnknown)
  }

  @Test func `errors with the same kind, type and top frames are one group`() throws {
    func log(_ type: String = "IOError", _ frames: String..., kind: String = "handledError", line: Int = 1) -> String {
      let list = frames.map { #"{"methodName":"\#($0)","lineNumber":\#(line)}"# }.joined(separator: ",")
      return #"{"type":"\#(kind)",\#(time),"id":"\#(uuid(1))","exception":{"type":"\#(type)","frames":[\#(list)]}}"#
    }
    let prints = try errors(
      log("IOError", "a", "b", "c", "d"), log("IOError", "a", "b", "c", "e", line: 2), log("IOError", "b", "a"),
      log("Other", "a", "b", "c", "d"), log("IOError", "a", "b", "c", "d", kind: "managedError")
    ).map(\.group)
    #expect(prints[0] == prints[1])
    #expect(Set(prints).count == 4)
    let texts = try errors(
      #"{"type":"handledError",\#(time),"exception":{"type":"E","message":"user 17 of 20"}}"#,
      #"{"type":"handledError",\#(time),"exception":{"type":"E","message":"user 3 of 4"}}"#,
      #"{"type":"handledError",\#(time),"exception":{"type":"E","message":"other"}}"#
    ).map(\.group)
    #expect(texts[0] == texts[1] && texts[0] != texts[2])
  }

  @Test func `the place of an error is its first frame as sent, including numbers`() throws {
    for (exception, place) in [
      (#"{"type":"E","stackTrace":"E: 7 of 8\n  at Bar2.run(Bar.java:12)\n at b"}"#, "at Bar2.run(Bar.java:12)"),
      (#"{"type":"E","frames":[{"methodName":"m2"},{"methodName":"n"}]}"#, "m2"),
      (#"{"type":"E","message":"7"}"#, ""),
    ] {
      let log = #"{"type":"handledError",\#(time),"exception":\#(exception)}"#
      #expect(try errors(log).first?.place == place)
    }
    let lines = try [12, 13].map { line in
      let trace = #"{"type":"E","stackTrace":"at Bar2.run(Bar.java:\#(line))"}"#
      return try errors(#"{"type":"handledError",\#(time),"exception":\#(trace)}"#).first?.group
    }
    #expect(lines[0] == lines[1])
  }

  @Test func `the first eight exceptions of a chain are read`() throws {
    let chain = (1..<12).reversed().reduce(#"{"type":"E12"}"#) { #"{"type":"E\#($1)","innerExceptions":[\#($0)]}"# }
    let error = try #require(
      try errors(#"{"type":"handledError",\#(time),"exception":\#(chain)}"#).first)
    #expect(error.type == "E1")
    #expect(error.stack.split(separator: "\n").map(String.init) == (2...8).map { "Caused by: E\($0): " })
  }

  @Test func `stacks and raw texts are truncated to their limits`() throws {
    let long = String(repeating: "é", count: 200_000)
    let deep = String(repeating: #"{"innerExceptions":["#, count: 200) + String(repeating: "]}", count: 200)
    for exception in [
      #"{"type":"E","stackTrace":"\#(long)"}"#, #"{"type":"E","message":"\#(long)"}"#,
      #"{"type":"E","frames":[\#(String(repeating: #"{"methodName":"m"},"#, count: 20_000))null]}"#, deep, "[]", "7",
      #"{"type":7,"frames":{},"innerExceptions":[7],"stackTrace":[]}"#,
      #"{"type":"\ud83d","message":"\u0000\ud83d\ude00"}"#,
    ] {
      let error = try #require(
        try errors(#"{"type":"managedError",\#(time),"pad":"\#(long)","exception":\#(exception)}"#).first)
      #expect(!error.type.isEmpty)
      #expect(error.stack.utf8.count <= IncomingError.maximumStackBytes)
      #expect(error.raw.count <= IncomingError.maximumRawBytes)
      #expect(error.message.utf8.count <= 8 << 10)
    }
  }

  @Test func `an attachment is decoded, and other data is kept as text`() throws {
    let batch = try parseLogs(
      logs(
        #"{"type":"errorAttachment",\#(time),"id":"\#(uuid(2))","errorId":"\#(uuid(1))","contentType":"text/plain","data":"aGVs\/G8=","fileName":"a.txt"}"#,
        #"{"type":"errorAttachment",\#(time),"id":"\#(uuid(3))","errorId":"\#(uuid(1))","data":"not base 64!"}"#,
        #"{"type":"errorAttachment",\#(time),"id":"\#(uuid(4))"}"#)
    ).batch
    #expect(batch.events.map(\.kind) == [.attachment, .other, .other] && batch.rejections.isEmpty)
    let attachment = try #require(batch.attachments.first)
    #expect(batch.attachments.count == 1 && attachment.event == 0 && attachment.parts == 1)
    #expect(attachment.error == uuid(1).lowercased() && attachment.id == uuid(2).lowercased())
    #expect(attachment.name == "a.txt" && attachment.contentType == "text/plain")
    #expect(attachment.data == [0x68, 0x65, 0x6C, 0xFC, 0x6F])
  }

  @Test func `an attachment of 7 MiB is accepted, and a larger one is the only log rejected`() throws {
    for (bytes, count) in [(7 << 20, 1), (7 << 20 + 1, 0)] {
      let text = String(repeating: "AAAA", count: bytes / 3) + (["", "AA==", "AAA="][bytes % 3])
      let log = #"{"type":"errorAttachment",\#(time),"id":"\#(uuid(2))","errorId":"\#(uuid(1))","data":"\#(text)"}"#
      let batch = try parseLogs(logs(log, eventLog("A", id: uuid(1)))).batch
      #expect(batch.attachments.count == count)
      #expect(batch.reasons == (count == 0 ? ["attachment_too_large"] : []))
      #expect(batch.names(.event) == ["A"])
    }
  }

  @Test func `native errors have their exception and are named after its type`() throws {
    let exception = #","exception":{"type":"Oops","message":"m","frames":[{"methodName":"f"}]},"properties":{"a":"1"}"#
    let batch = try parseLines(
      [native("handled_error", exception), native("crash", exception, id: 2)].joined(separator: "\n"))
    #expect(batch.events.map(\.kind) == [.handledError, .crash] && batch.events.map(\.name) == ["Oops", "Oops"])
    #expect(batch.errors.map(\.event) == [0, 1] && batch.errors[0].id == uuid(1).lowercased())
    #expect(batch.errors[0].stack == "  at f\n" && batch.property("a") == .string("1"))
  }

  @Test func `a piece of an attachment has its index and the number of pieces`() throws {
    func piece(_ part: Int, _ data: String, id: Int) -> String {
      native(
        "attachment",
        #","attachment":{"error":"\#(uuid(1))","id":"\#(uuid(2))","name":"a","part":\#(part),"parts":2,"data":"\#(data)"}"#,
        id: id)
    }
    let batch = try parseLines([piece(0, "aGk=", id: 3), piece(1, "aGk", id: 4)].joined(separator: "\n"))
    #expect(batch.events.map(\.kind) == [.attachment, .attachmentPart])
    #expect(
      batch.attachments.map(\.part) == [0, 1] && batch.attachments.map(\.data) == [[0x68, 0x69], [0x68, 0x69]])
  }

  @Test(arguments: [
    (#""part":0,"parts":1"#, true), (#""parts":1"#, true), (#""part":0"#, true), (#""part":null,"parts":null"#, true),
    (#""part":1,"parts":3"#, true), (#""part":1.5,"parts":3"#, false), (#""part":"1","parts":3"#, false),
    (#""part":1e400,"parts":3"#, false), (#""part":1e0,"parts":3"#, false), (#""part":-1,"parts":3"#, false),
    (#""part":null,"parts":3"#, false), (#""parts":3"#, false), (#""part":1"#, false), (#""part":[],"parts":3"#, false),
    (#""part":0,"parts":1.5"#, false), (#""part":0,"parts":"1""#, false), (#""part":0,"parts":1e400"#, false),
    (#""part":0,"parts":0"#, false), (#""part":0,"parts":99999999999999999999"#, false), (#""part":true"#, false),
    (#""part":18446744073709551616,"parts":1"#, false),
  ]) func `a piece without integer numbers is rejected, and never taken for the whole file`(
    numbers: String, isTaken: Bool
  ) throws {
    let value = #","attachment":{"error":"\#(uuid(1))","id":"\#(uuid(2))",\#(numbers),"data":"aGk="}"#
    let batch = try parseLines(native("attachment", value))
    #expect(batch.attachments.count == (isTaken ? 1 : 0))
    #expect(batch.reasons == (isTaken ? [] : ["attachment_invalid"]))
  }

  @Test func `a piece of 47 KiB fits into an event, and one byte more is rejected`() throws {
    let name = String(repeating: "n", count: 255)
    let more =
      #","device":{"osName":"iOS","osVersion":"17.4.1","model":"iPhone15,2","locale":"pt_BR"},"app":{"version":"3"}"#
    for (bytes, reasons) in [(47 << 10, []), (47 << 10 + 1, ["attachment_invalid"])] {
      let data = String(repeating: "AAAA", count: bytes / 3) + ["", "AA==", "AAA="][bytes % 3]
      let value =
        #","attachment":{"error":"\#(uuid(1))","id":"\#(uuid(2))","name":"\#(name)","contentType":"text/plain","#
        + #""part":0,"parts":2,"data":"\#(data)"}\#(more)"#
      #expect(try parseLines(native("attachment", value)).reasons == reasons)
    }
  }

  @Test(arguments: [
    ("crash", "", "exception_missing"), ("crash", #","exception":7"#, "exception_missing"),
    ("handled_error", #","exception":{"message":"m"}"#, "exception_type_missing"),
    ("attachment", "", "attachment_missing"), ("attachment", #","attachment":{}"#, "attachment_invalid"),
    ("attachment", #","attachment":{"error":"x","id":"y","data":""}"#, "attachment_invalid"),
    (
      "attachment",
      #","attachment":{"error":"\#(uuid(1))","id":"\#(uuid(2))","part":2,"parts":2,"data":""}"#, "attachment_invalid"
    ),
    (
      "attachment", #","attachment":{"error":"\#(uuid(1))","id":"\#(uuid(2))","parts":9999,"data":""}"#,
      "attachment_invalid"
    ),
    ("attachment", #","attachment":{"error":"\#(uuid(1))","id":"\#(uuid(2))","data":"?"}"#, "attachment_invalid"),
  ]) func `a native error or attachment that cannot be stored is the only event rejected`(
    type: String, more: String, reason: String
  ) throws {
    let good = native("crash", #","exception":{"type":"T"}"#, id: 9)
    let batch = try parseLines([native(type, more), good].joined(separator: "\n"))
    #expect(batch.reasons == [reason])
    #expect(batch.events.count == 1 && batch.errors.map(\.event) == [0])
  }

  @Test func `a crash keeps the time, session and device of its own launch`()
    throws
  {
    let boot = "5f0c0f0e-0000-4000-8000-000000000001"
    let clock = EventClock(SentStamp(time: testTime, uptime: 5_000, boot: boot), arrived: testTime)
    let day: Int64 = 86_400_000
    // The event of this launch has an uptime; the crash of the day before has none, and another session.
    let lines = [
      #"{"id":"\#(uuid(1))","type":"event","name":"Now","time":1740924309120,"uptime":3900,"boot":"\#(boot)","#
        + #""install":"\#(testInstall)","session":"\#(uuid(8))","app":{"version":"2"}}"#,
      #"{"id":"\#(uuid(2))","type":"crash","name":"SIGSEGV","time":\#(1_740_924_309_120 - day),"#
        + #""install":"\#(testInstall)","session":"\#(testSession)","user":"bob","exception":{"type":"SIGSEGV"},"#
        + #""launched":\#(1_740_924_309_120 - day - 1000),"app":{"version":"1"}}"#,
    ]
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let batch = try NativeParser.parse(bytes, received: testTime, clock: clock, key: testKey, app: 1)
    #expect(batch.rejections.isEmpty && batch.events.map(\.kind) == [.event, .crash])
    let (now, crash) = (batch.events[0], batch.events[1])
    #expect(now.time.millisecondsSince1970 == testTime.millisecondsSince1970 - 1_100)
    #expect(crash.time.millisecondsSince1970 == testTime.millisecondsSince1970 - day)
    #expect(crash.session != 0 && crash.session != now.session && !crash.startsSession && crash.user == "bob")
    #expect(batch.devices[crash.device].appVersion == "1" && batch.devices[now.device].appVersion == "2")
    #expect(batch.errors.map { String(decoding: $0.raw, as: UTF8.self).contains(#""launched":"#) } == [true])
  }

  @Test func `Base64 decodes to the original bytes at every length`() throws {
    var generator = SplitMix64(seed: 7)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    for length in 0..<70 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var text = ""
      for start in stride(from: 0, to: length, by: 3) {
        let group = bytes[start..<min(start + 3, length)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for position in 0...group.count { text.append(letters[bits >> (18 - 6 * position) & 63]) }
      }
      let read = Array(text.utf8).withUnsafeBytes { base64Decoded($0, limit: 70) }
      #expect(read == bytes)
      let short = Array(text.utf8).withUnsafeBytes { base64Decoded($0, limit: length - 1) }
      #expect(short == nil || length == 0)
    }
  }
}
