import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernBase
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern verify`
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Recount all metrics from the stored events and list differences.",
    discussion: """
      Also reads all files of events, keys and columns, and the regular backups, and names those that are damaged.
      Works while a server runs; while it deletes a person or an app or changes a time zone, differences may be found that
      are gone afterwards. Exit code 0: no differences. 1: differences; the last line says what to do.

      Example:
        tern verify --data /var/lib/tern
      """)

  @OptionGroup var data: DataOption

  func run() async throws {
    let (report, isDisturbed, backups) = try await data.withReader { catalog, reader in
      let backups = try backupDirectories(catalog).flatMap { try BackupSeries.damages(in: $0) }
      let before = try catalog.jobCounts()
      let report = try await reader.verify { Terminal.progress("\($0) events read") }
      let after = try catalog.jobCounts()
      return (report, before != after || after.unfinished > 0, backups)
    }
    Terminal.progress("")
    for problem in report.problems + backups { Terminal.say(problem) }
    for difference in report.differences { Terminal.say(ServerFailure.line(difference.description)) }
    guard report.isClean else {
      let problems = report.problemCount == 0 ? "" : "\(grouped(report.problemCount)) problems with files; "
      let remedy =
        isDisturbed
        ? "A deletion or a change of a time zone ran meanwhile or has not finished, and counts may differ until it has: "
          + "verify again when the server has done it." : report.remedy
      Terminal.complain(
        "tern: \(problems)\(grouped(report.differenceCount)) of \(grouped(report.metrics)) metrics differ. \(remedy)")
      throw ExitCode(1)
    }
    Terminal.say("\(grouped(report.metrics)) metrics match \(grouped(report.events)) events.")
    if report.uncountedEvents > 0 {
      Terminal.say(
        """
        \(grouped(report.uncountedEvents)) newer events are stored but not counted yet. The server counts them within \
        seconds, or once a full disk has room again.
        """)
    }
    guard backups.isEmpty else {
      Terminal.complain("tern: \(grouped(backups.count)) files of backups are damaged.")
      throw ExitCode(1)
    }
  }

  /// Returns the directories of regular backups, as the settings or the server's checks name them.
  private func backupDirectories(_ catalog: Catalog) throws -> Set<String> {
    var settings = try data.settings()
    try settings.addFile(inDirectory: data.directory)
    let found = try Scrub.damagedPaths(catalog).values.compactMap { BackupSeries.directory(ofFile: $0) }
    return Set(found + [try settings.value(\.backupTo)].compactMap { $0 })
  }
}

/// `tern rebuild`
struct RebuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Rebuild all metrics from the stored events.",
    discussion: """
      Needs the server stopped. Events are kept, apart from those that damage has made unreadable. Sealed days of views
      are final and stay unchanged.

      Example:
        tern rebuild --data /var/lib/tern
      """)

  @OptionGroup var data: DataOption

  func run() throws {
    let events = Locked(0)
    try data.withCatalog { catalog in
      try SQLiteWarehouse.rebuild(
        directory: data.directory, catalog: catalog, report: { Terminal.complain("tern: \($0)") },
        progress: { count in
          events.withLock { $0 = count }
          Terminal.progress("\(count) events counted")
        })
    }
    Terminal.progress("")
    Terminal.say("Metrics rebuilt from \(grouped(events.withLock { $0 })) events; sealed days of views are unchanged.")
  }
}
