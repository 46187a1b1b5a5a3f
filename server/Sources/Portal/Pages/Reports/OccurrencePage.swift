import Ingest
import Reports
import Warehouse

/// The page of one crash or handled error.
struct OccurrencePage: Page {
  let page: ReportVisit
  let detail: ErrorDetail
  var visit: PageVisit { page.visit }

  func html() -> String {
    let (error, labels, zone) = (detail.occurrence, DeviceLabels(detail.occurrence.device), page.request.zone)
    let person = page.links.install(error.install, from: (error.id, error.time))
    let terms: [(name: String, value: String, link: String?)] = [
      ("Time", zone.dateTime(of: error.time), nil), ("Received", zone.dateTime(of: error.received), nil),
      ("App version", labels.version, nil), ("Model", modelName(error.device.model), nil),
      ("System", labels.system, nil),
      ("Country", countryName(error.device.country), nil), ("Locale", error.device.locale, nil),
      (
        "User", error.user,
        error.user.isEmpty ? nil : page.links.trail(of: .user(error.user), from: (error.id, error.time))
      ),
      ("Install", "#\(error.install)", person), ("ID", error.name, nil),
    ]
    let values: TemplateValues = [
      "splitAddress": visit.reader.canEdit ? page.links.page(.errorGroups) : nil, "id": error.id.description,
      "message": shown(detail.message, empty: detail.isTextKept ? "No message" : "No message kept", limit: 2_000),
      "facts": terms.map { term in
        ["term": term.name, "value": shown(term.value, empty: "–"), "target": term.link] as TemplateValues
      }, "person": person,
      "properties": StoredEventText.properties(of: detail.event), "isTextKept": detail.isTextKept,
      "trace": Self.trace(detail), "stack": detail.stack.isEmpty ? nil : shownLines(detail.stack),
      "files": detail.attachments.map { file in
        [
          "name": shown(file.name, empty: "attachment \(file.id)"), "link": page.links.file(file.id),
          "type": shown(file.contentType, empty: "unknown type", limit: 100), "size": counted(file.bytes, "byte"),
        ] as TemplateValues
      }, "entries": detail.trail.map { Self.entry($0, of: error, zone: zone, page.links) },
      "raw": shownLines(String(decoding: detail.raw.utf8.prefix(Self.shownRawBytes), as: UTF8.self)),
    ]
    return visit.page(page.shell, body: visit.templates.render("occurrence", values))
  }

  /// The part of a raw report shown on a page, in bytes; the JSON report has everything that is stored.
  private static let shownRawBytes = 64 << 10

  /// An earlier event of the session, or a step.
  private static func entry(
    _ entry: ErrorDetail.TrailEntry, of error: ErrorOccurrence, zone: ReportZone, _ links: PortalLinks
  ) -> TemplateValues {
    switch entry {
    case .event(let event): StoredEventText.entry(event, zone: zone, links)
    case .step(let text, let time):
      [
        "id": "", "properties": [TemplateValues](), "kind": "step", "caption": "Step",
        "clock": zone.timeOfDay(of: time), "isoTime": time.isoText, "name": shown(text), "install": "#\(error.install)",
        "installLink": links.install(error.install, from: (error.id, error.time)),
      ]
    }
  }

  /// The most frames of a thread and the most images on a page; the JSON report has all.
  static let shownFrames = 200

  /// The threads, registers and images; `nil` if none could be read from the report.
  private static func trace(_ detail: ErrorDetail) -> TemplateValues? {
    let trace = detail.trace
    guard let first = trace.threads.first else { return nil }
    let problem = [
      trace.isThreadUnknown ? ErrorStack.unknownThread : nil, trace.isIncomplete ? ErrorStack.incompleteReport : nil,
      detail.symbolProblem,
    ].compactMap { $0 }
      .joined(separator: " ")
    return [
      "problem": problem.isEmpty ? nil : shown(problem, limit: 500), "thread": thread(first, in: trace),
      "others": trace.threads.dropFirst().map { thread($0, in: trace) },
      "othersHeading": trace.threads.contains(where: \.isCause)
        ? "Causes" : counted(trace.threads.count - 1, "other thread"),
      "registers": trace.registers.map {
        ["term": shown($0.name), "value": shown($0.value)] as TemplateValues
      },
      "images": trace.images.prefix(shownFrames).map { image in
        [
          "name": shown(image.name, empty: "–"), "id": shown(image.buildID, empty: "–"),
          "start": "0x" + String(image.start, radix: 16), "hasSymbols": image.hasSymbols,
        ] as TemplateValues
      }, "imageCount": counted(trace.images.count, "image"),
    ]
  }

  /// The calls of a thread.
  ///
  /// - Parameter limit: The most frames. The others are counted on the page of the occurrence.
  static func thread(
    _ thread: ErrorStack.Thread, in trace: ErrorStack, limit: Int = shownFrames
  ) -> TemplateValues {
    let own = thread.frames.map { isOwn($0, in: trace) }
    // Emphasis of everything is none.
    let isMixed = own.contains(true) && own.contains(false)
    let rest = thread.frames.count - limit
    return [
      "name": thread.name.isEmpty ? nil : shown(thread.name, limit: 300), "isCrashed": thread.isCrashed,
      "frames": zip(thread.frames, own).prefix(limit).map { frame, isOwn in
        [
          "function": shown(frame.function.isEmpty ? frame.shownText : frame.function),
          "source": frame.source.isEmpty ? nil : shown(frame.source),
          "image": frame.image.isEmpty || frame.function.isEmpty ? nil : shown(frame.image, limit: 100),
          "isOwn": isMixed && isOwn, "isOther": isMixed && !isOwn, "isInlined": frame.isInlined,
        ] as TemplateValues
      }, "rest": rest > 0 && limit == shownFrames ? "\(counted(rest, "more frame"))" : nil,
    ]
  }

  /// True for calls in the app itself: in its executable, which loads first, or in what it has uploaded symbols of.
  private static func isOwn(_ frame: ErrorStack.Frame, in trace: ErrorStack) -> Bool {
    frame.hasSymbols || (!frame.image.isEmpty && frame.image == trace.images.first?.name)
  }
}
