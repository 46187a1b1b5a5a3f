import TernEvents

/// The last launches of an app, by which a crash that the system reports finds its session and user.
struct LaunchHistory: Sendable, Hashable, Codable {
  /// A launch and what it knew last.
  struct Launch: Sendable, Hashable, Codable {
    var process: Int
    /// The start, in milliseconds since 1970.
    var launched: Int64
    /// The context that a crash report has (`CrashContext`).
    var context: String

    var crashContext: CrashContext { CrashContext(Array(context.utf8)) }
  }

  /// More than the launches of a reporting period that are likely to crash.
  private static let maximumLaunches = 32

  /// The launches, oldest first.
  private(set) var launches: [Launch] = []

  /// Adds a launch, or replaces what is known about it.
  mutating func update(_ launch: Launch) {
    launches.removeAll { $0.process == launch.process && $0.launched == launch.launched }
    launches.append(launch)
    launches.sort { $0.launched < $1.launched }
    launches = launches.suffix(Self.maximumLaunches)
  }

  /// Finds the launch that crashed: the only one of the app's version and, if the system tells it, the process's number
  /// that ran in the reporting period. If there are several, none is certain.
  func launch(of diagnostic: CrashDiagnostic) -> Launch? {
    let (start, end) = (Timestamp(diagnostic.periodStart), Timestamp(diagnostic.time))
    let candidates = launches.indices.filter { index in
      let launch = launches[index]
      let next = launches.dropFirst(index + 1).first?.launched ?? .max
      let device = launch.crashContext.device
      return launch.launched <= end.millisecondsSince1970 && next > start.millisecondsSince1970
        && device?.appVersion == diagnostic.appVersion && device?.appBuild == diagnostic.appBuild
        && (diagnostic.process == nil || diagnostic.process == launch.process)
    }
    return candidates.count == 1 ? launches[candidates[0]] : nil
  }
}
