import Ingest
import Warehouse

extension AppReports {
  /// The threads, registers, images and steps of one error, as JSON members.
  static func traceMembers(_ detail: ErrorDetail) -> [(String, ReportValue)] {
    let trace = detail.trace
    return [
      (
        "threads",
        .list(
          ReportList(
            "threads", columns: ["name", "isCrashed", "frames"],
            rows: trace.threads.map { [.text($0.name), .flag($0.isCrashed), .list(frameList($0.frames))] }))
      ),
      (
        "registers",
        .list(
          ReportList(
            "registers", columns: ["name", "value"], rows: trace.registers.map { [.text($0.name), .text($0.value)] }))
      ),
      (
        "images",
        .list(
          ReportList(
            "images", columns: ["name", "buildId", "start", "hasSymbols"],
            rows: trace.images.map {
              [.text($0.name), .text($0.buildID), address($0.start), .flag($0.hasSymbols)]
            }))
      ),
      (
        "steps",
        .list(
          ReportList(
            "steps", columns: ["time", "text"],
            rows: detail.trail.compactMap { entry in
              if case .step(let text, let time) = entry { [.time(time), .text(text)] } else { nil }
            }))
      ), ("symbolProblem", detail.symbolProblem.map { .text($0) } ?? .none),
    ]
  }

  private static func frameList(_ frames: [ErrorStack.Frame]) -> ReportList {
    ReportList(
      "frames",
      columns: [
        "text", "image", "buildId", "offset", "address", "function", "file", "line", "isInlined", "hasSymbols",
      ],
      rows: frames.map { frame in
        [
          .text(frame.shownText), .text(frame.image), .text(frame.buildID), address(frame.offset),
          address(frame.address), .text(frame.function), .text(frame.file),
          .count(orNone: frame.line > 0 ? frame.line : nil), .flag(frame.isInlined), .flag(frame.hasSymbols),
        ]
      })
  }

  /// In hexadecimal digits: numbers in JSON may lose the last ones.
  private static func address(_ value: UInt64?) -> ReportValue {
    value.map { .text("0x" + String($0, radix: 16)) } ?? .none
  }
}
