import ArgumentParser
import Foundation
import TernServer
import WarehouseSQLite
import WarehouseUpkeep

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `tern try-work`, which a server starts after a crash; see ``ProcessTrials``.
struct TrialCommand: ParsableCommand {
  static let name = ProcessTrials.command

  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Do some work on stored events once, and change nothing.",
    discussion: "A server starts this after a crash, to find the event that caused it.", shouldDisplay: false)

  @OptionGroup var data: DataOption

  func run() throws {
    // A trap is what the server waits for, not a fault to be looked into.
    #if canImport(Glibc)
      let cores = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
      let cores = RLIMIT_CORE
    #endif
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(cores, &none)
    let input = try FileHandle.standardInput.readToEnd() ?? Data()
    let trial = try JSONDecoder().decode(ProcessTrials.Trial.self, from: input)
    try data.withCatalog {
      try WorkTrial.run(trial.work, rows: trial.rows, directory: data.directory, catalog: $0)
    }
  }
}
