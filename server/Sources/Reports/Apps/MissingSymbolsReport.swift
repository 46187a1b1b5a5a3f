import ErrorGrouping
import Ingest
import TernBase
package import TernEvents
package import Warehouse

extension AppReports {
  /// The builds whose symbols errors wait for.
  package static let missingSymbols = ReportDefinition(
    "symbols", title: "Missing symbols",
    explanation:
      "Builds of executables and libraries in whose place stacks have positions, because there are no symbols of them, and "
      + "of apps whose shortened names of Java and Kotlin have no mapping.",
    navigation: ReportNavigation(.errors, "Missing symbols"),
    read: ReportDefinition.read(MissingSymbolsMetrics.self))
}

/// A build that has no symbols.
package struct MissingBuild: Sendable, Hashable {
  /// The build identifier.
  package var id: String
  /// The name of the executable or library.
  package var image: String
  /// The versions of the app in which errors have it, the latest error first.
  package var versions: [String]
  /// The number of errors of these groups and versions.
  package var count: Int
  /// The time of the latest.
  package var last: Timestamp

  /// True for an image of an operating system or of a language's runtime, whose symbols apps don't have.
  package var isSystem: Bool { isSystemImage(image) }
}

/// The builds without symbols in the errors of a range, most errors first.
///
/// The most frequent groups count, each with its latest error in each of some versions: their stacks stand for the others.
package struct MissingSymbolsMetrics: ReportMetrics, Hashable {
  private static let maximumGroups = 100
  private static let maximumVersions = 3
  private static let maximumErrors = 20

  package var builds: [MissingBuild]

  /// Reads the errors of a request's range, as sent: their symbols would take long to read, and say nothing about this.
  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    let (reader, symbolicator) = store.beforeSymbols
    var samples: [(detail: ErrorDetail, count: Int)] = []
    let groups = try await store.errorGroups(
      app: request.app, group: nil, days: request.days, limit: Self.maximumGroups)
    for group in groups {
      let errors = try await store.errors(
        app: request.app, group: group.id, days: request.days, limit: Self.maximumErrors)
      var versions: Set<String> = []
      for error in errors where versions.count < Self.maximumVersions {
        let version = DeviceLabels(error.device).version
        guard versions.insert(version).inserted else { continue }
        guard let detail = try await reader.error(app: request.app, id: error.id) else { continue }
        samples.append((detail, group.versions.first { $0.key == version }?.count ?? 1))
      }
    }
    let named = Set(samples.flatMap { Self.positions($0.detail).map(\.buildID) })
    self.init(samples, known: try symbolicator?.builds(withSymbols: named, app: request.app) ?? [])
  }

  /// - Parameters:
  ///   - samples: Errors, with the number of those for which each stands.
  ///   - known: The builds that have symbols.
  init(_ samples: [(detail: ErrorDetail, count: Int)], known: Set<String>) {
    var builds: [String: MissingBuild] = [:]
    for (detail, count) in samples.sorted(by: { $0.detail.occurrence.time > $1.detail.occurrence.time }) {
      let (time, version) = (detail.occurrence.time, DeviceLabels(detail.occurrence.device).version)
      let frames = Dictionary(Self.positions(detail).map { ($0.buildID, $0.image) }) { first, _ in first }
      for (id, image) in frames where !known.contains(id) {
        var build = builds[id] ?? MissingBuild(id: id, image: image, versions: [], count: 0, last: time)
        if !build.versions.contains(version) { build.versions.append(version) }
        build.count.addSaturated(count)
        builds[id] = build
      }
    }
    self.builds = builds.values.sorted { ($0.count, $0.last, $1.id) > ($1.count, $1.last, $0.id) }
  }

  /// The positions of an error that symbols could name: those of the thread that crashed or threw it, and of causes.
  private static func positions(_ detail: ErrorDetail) -> [ErrorStack.Frame] {
    let trace = detail.trace
    let frames = trace.threads.enumerated().filter { $0.offset == 0 || $0.element.isCause }.flatMap(\.element.frames)
    let positions = frames.filter { !$0.buildID.isEmpty && $0.offset != nil && $0.function.isEmpty }
    guard frames.contains(where: isShortened) else { return positions }
    var mapping = ErrorStack.Frame()
    (mapping.image, mapping.buildID) = ("mapping.txt", detail.occurrence.device.appBuildName)
    return positions + (mapping.buildID.isEmpty ? [] : [mapping])
  }

  /// True for a call of the app whose names R8 may have shortened.
  private static func isShortened(_ frame: ErrorStack.Frame) -> Bool {
    let call =
      frame.function.isEmpty
      ? ManagedCall(text: frame.text) : ManagedCall(function: frame.function, file: frame.file, line: frame.line)
    guard let call, frame.function.isEmpty ? frame.image.isEmpty : !frame.source.isEmpty else { return false }
    return call.isShortened && !call.isCertain
  }
}

extension MetricsStore {
  /// The store below the one that adds symbols, and what that one uses; itself if there is none.
  fileprivate var beforeSymbols: (reader: any MetricsStore, symbolicator: (any StackSymbolicator)?) {
    var store: any MetricsStore = self
    while let forwarding = store as? any ForwardingStore {
      if let symbolicated = store as? SymbolicatedStore { return (symbolicated.base, symbolicated.symbolicator) }
      store = forwarding.base
    }
    return (self, nil)
  }
}

extension MissingSymbolsMetrics {
  package func content(_ request: ReportRequest) -> ReportContent {
    func list(
      _ name: String, title: String = "", _ builds: [MissingBuild], outputs: ReportList.Outputs
    ) -> ReportList {
      ReportList(
        name, title: title,
        columns: ["image", "build", "versions", .count, "last"] + (outputs == .csv ? ["isSystem"] : []),
        rows: builds.map { build in
          [.text(build.image), .text(build.id), .texts(build.versions), .count(build.count), .time(build.last)]
            + (outputs == .csv ? [.flag(build.isSystem)] : [])
        }, outputs: outputs, limit: request.limit ?? 200)
    }
    let shown: ReportList.Outputs = [.json, .terminal, .page]
    return ReportContent([
      list("builds", title: "The app and its libraries", builds.filter { !$0.isSystem }, outputs: shown),
      list("systems", title: "Libraries of systems", builds.filter(\.isSystem), outputs: shown),
      list("missing", builds, outputs: .csv),
    ])
  }
}
