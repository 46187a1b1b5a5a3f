import Foundation
import Testing
import Warehouse

@testable import Shipping

@Suite struct ShippingLedgerTests {
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-shipping-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.appending(path: "shipping.sqlite").path)
  }

  @Test func `a ledger opened again knows its home and every unit`() throws {
    try withDirectory { path in
      let ledger = try ShippingLedger(path: path)
      let contents = (1...4).map { UnitContent(rows: $0, checksum: UInt64.max - UInt64($0)) }
      var shards: [String] = []
      for (index, content) in contents.enumerated() {
        let first = Int64(index * 10 + 1)
        let (unit, shard) = try ledger.add(segment: 3, ids: first...first + 9, content: content, shards: ["a", "b"])
        #expect(unit.content == content && !unit.mayBeThere)
        shards.append(shard)
      }
      #expect(shards == ["b", "a", "b", "a"])
      let all = try ledger.units(in: 1...40)
      try ledger.confirm(all[0])
      var renewed = all[1]
      renewed.generation = 1
      try ledger.renew(renewed)
      // A confirmation of the generation before, which comes late.
      try ledger.confirm(all[1])
      let home = ledger.home
      try ledger.close()

      let again = try ShippingLedger(path: path)
      #expect(again.home == home)
      #expect(try again.lastID() == 40)
      #expect(try again.unconfirmed(shard: "b").map(\.number) == [3])
      #expect(try again.unconfirmed(shard: "a").map(\.generation) == [1, 0])
      #expect(try again.unconfirmed(shard: "a").allSatisfy(\.mayBeThere))
      #expect(try again.units(in: 10...11).map(\.content) == [contents[0], contents[1]])
      #expect(try again.units(in: 41...50).isEmpty)
      #expect(
        try again.progress() == [
          "b": ShippingLedger.Progress(confirmedUnits: 1, confirmedRows: 1, waitingUnits: 1, waitingRows: 3),
          "a": ShippingLedger.Progress(confirmedUnits: 0, confirmedRows: 0, waitingUnits: 2, waitingRows: 6),
        ])
      try again.close()
    }
  }

  @Test func `an empty ledger has no units, and each has a home of its own`() throws {
    var homes: Set<ShippingLedger.Home> = []
    for _ in 0..<2 {
      try withDirectory { path in
        let ledger = try ShippingLedger(path: path)
        #expect(try ledger.lastID() == 0 && ledger.progress().isEmpty && ledger.unconfirmed(shard: "a").isEmpty)
        homes.insert(ledger.home)
        try ledger.close()
      }
    }
    #expect(homes.count == 2)
  }

  @Test func `a file of another program is refused`() throws {
    try withDirectory { path in
      try Data("This is no database, but a long enough text to be looked at as one, in vain.".utf8)
        .write(to: URL(fileURLWithPath: path))
      #expect(throws: (any Error).self) { try ShippingLedger(path: path) }
    }
  }
}
