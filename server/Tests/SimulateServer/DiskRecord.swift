import Foundation
import SimulatedDisk
import TernEvents

/// A disk, and what was done to it since.
struct DiskRecord: Sendable {
  var start: DiskHistory
  var operations: [DiskOperation]

  /// Returns the disk after some operations.
  func history(through count: Int) -> DiskHistory {
    var history = start
    for operation in operations.prefix(count) { history.apply(operation) }
    return history
  }
}

/// A start after a server was killed or the power was lost, which may itself meet a power loss.
struct SecondStart {
  let check: StateCheck
  let record: DiskRecord

  /// Lets a server start on what is left, and records what it does to the disk.
  ///
  /// - Parameters:
  ///   - losesPower: False if the server is killed: then nothing is lost, but what it hadn't synced can still be.
  ///   - folder: A new folder.
  init(
    _ check: StateCheck, _ history: DiskHistory, losesPower: Bool, in folder: String,
    using generator: inout FastGenerator
  ) async throws {
    self.check = check
    let loss = losesPower ? PowerLoss.allCases.randomElement(using: &generator) ?? .nothing : .everything
    let image = history.image(after: loss, using: &generator)
    try image.write(to: folder)
    let seed = generator.next()
    let inode: (String) throws -> UInt64 = { try DiskJournal.inode(folder + $0) }
    let start =
      losesPower ? try DiskHistory(image, seed: seed, inode: inode) : try history.moved(seed: seed, inode: inode)
    try DiskJournal.begin(folder)
    defer { DiskJournal.end() }
    let server = try await SimulatedServer("\(folder)/data") { _ in }
    let last = try await check.finish(server)
    _ = try await last.reports()
    try await last.close()
    record = DiskRecord(start: start, operations: DiskJournal.operations())
  }
}
