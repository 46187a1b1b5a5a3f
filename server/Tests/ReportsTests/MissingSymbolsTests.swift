import Ingest
import TernEvents
import Testing
import Warehouse

@testable import Reports

struct MissingSymbolsTests {
  private func error(_ frames: String, version: String, at seconds: Int64) -> ErrorDetail {
    let time = Timestamp(millisecondsSince1970: seconds * 1_000)
    let occurrence = ErrorOccurrence(
      id: seconds, group: 1, name: "", time: time, received: time, install: 1, user: "",
      device: IncomingDevice(appVersion: version))
    return ErrorDetail(
      occurrence: occurrence, kind: .crash, type: "SIGSEGV", message: "", stack: "",
      raw: #"{"exception":{"type":"SIGSEGV","frames":[\#(frames)]}}"#, isTextKept: true, properties: [], before: [],
      attachments: [])
  }

  private let app = #"{"code":"App(+0x10) [aaaaaaaa]"}"#
  private let system = #"{"code":"libc.so.6(+0x20) [cccccccc]"}"#

  @Test func `builds without symbols are counted once for each error, systems apart`() {
    let metrics = MissingSymbolsMetrics(
      [
        (error("\(app),\(app),\(system)", version: "1", at: 10), 5), (error(app, version: "2", at: 20), 2),
        (error(#"{"code":"App(+0x10) [bbbbbbbb]"},\#(system)"#, version: "2", at: 30), 4),
        (error(#"{"code":"App(+0x10) [eeeeeeee]"}"#, version: "3", at: 40), 9),
      ], known: ["eeeeeeee"])
    #expect(metrics.builds.map(\.id) == ["cccccccc", "aaaaaaaa", "bbbbbbbb"])
    #expect(metrics.builds.map(\.count) == [9, 7, 4] && metrics.builds.map(\.isSystem) == [true, false, false])
    #expect(metrics.builds.map(\.versions) == [["2", "1"], ["2", "1"], ["2"]])
    #expect(metrics.builds.map { $0.last.millisecondsSince1970 } == [30_000, 20_000, 30_000])
    #expect(metrics.builds.map(\.image) == ["libc.so.6", "App", "App"])
  }

  @Test func `frames with a function, and those without a build or a position, wait for nothing`() {
    let frames = #"{"code":"App(+0x10) [aaaaaaaa]","methodName":"m"},{"code":"App(+0x10)"},{"code":"x [aaaaaaaa]"},{}"#
    #expect(MissingSymbolsMetrics([(error(frames, version: "1", at: 1), 1)], known: []).builds.isEmpty)
    let largest = error(app, version: "1", at: 1)
    #expect(MissingSymbolsMetrics([(largest, .max), (largest, .max)], known: []).builds.map(\.count) == [.max])
  }
}
