package import Foundation
package import Tern
import TernCrash
package import TernValues

/// The crashes that Tern's signal handlers catch, and those that the system reports.
package struct SystemCrashes: CrashSource {
  private let directory: CrashDirectory

  /// Creates the source for a client whose queue is in the directory.
  package init(queue directory: URL) {
    self.directory = CrashDirectory(inQueue: directory.path)
  }

  package func reports() -> [CrashReport] {
    let caught = directory.reports(besides: CrashCatcher.currentReport).map { report in
      CrashReport(
        exception: report.crash.exception, origin: TernClient.PreviousProcess(report.crash),
        signal: report.crash.signalName, processIdentifier: UInt(clamping: report.crash.process),
        isOfLastLaunch: !report.isSeen)
    }
    // An earlier launch has received these.
    let delivered = directory.diagnostics(EarlierDiagnostic.init)
      .map { CrashReport($0, isOfLastLaunch: false) }
    return (caught + delivered).sorted { $0.origin.time < $1.origin.time }
  }

  package func remove(_ ids: [UniqueID]) { directory.remove(ids) }

  package func takeMemoryWarning() -> Bool { directory.takeMemoryWarning() }

  package func start(_ client: TernClient, onReport: @escaping @Sendable (CrashReport) -> Void) {
    directory.markSeen(reports().map(\.id))
    client.catchCrashes()
    observeMemoryWarnings { [directory] in directory.noteMemoryWarning() }
    client.receiveEarlierDiagnostics { diagnostic, isOfLastLaunch in
      // The system delivers it once, and the user may decide in a later launch.
      directory.keep(diagnostic.encoded, id: diagnostic.id)
      onReport(CrashReport(diagnostic, isOfLastLaunch: isOfLastLaunch))
    }
  }
}

extension CrashReport {
  fileprivate init(_ diagnostic: EarlierDiagnostic, isOfLastLaunch: Bool) {
    self.init(
      exception: diagnostic.exception, origin: diagnostic.origin, signal: diagnostic.signalName,
      processIdentifier: UInt(clamping: diagnostic.process ?? 0), isOfLastLaunch: isOfLastLaunch)
  }
}
