package import Foundation
package import Tern
import TernCrash
package import TernEvents

/// The crashes that Tern's signal handlers catch.
package struct SystemCrashes: CrashSource {
  private let directory: CrashDirectory

  /// Creates the source for a client whose queue is in the directory.
  package init(queue directory: URL) {
    self.directory = CrashDirectory(inQueue: directory.path)
  }

  package func reports() -> [CrashReport] {
    directory.reports(besides: CrashCatcher.currentReport).map { report in
      CrashReport(
        exception: report.crash.exception, origin: TernClient.PreviousProcess(report.crash),
        signal: report.crash.signalName, processIdentifier: UInt(clamping: report.crash.process),
        isOfLastLaunch: !report.isSeen)
    }
  }

  package func remove(_ ids: [UniqueID]) { directory.remove(ids) }

  package func start(_ client: TernClient) {
    directory.markSeen(reports().map(\.id))
    client.catchCrashes()
  }
}
