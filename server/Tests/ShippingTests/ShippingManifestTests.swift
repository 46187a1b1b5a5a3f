import ClickHouse
import Foundation
import GRDB
import Testing
import Warehouse

@testable import Shipping

@Suite struct ShippingManifestTests {
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-shipping-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.appending(path: "shipping.sqlite").path)
  }

  @Test func `a manifest opened again knows its home and every unit`() throws {
    try withDirectory { path in
      let manifest = try ShippingManifest(path: path, homeID: 5)
      let contents = (1...4).map { UnitContent(rows: $0, checksum: UInt64.max - UInt64($0)) }
      for (index, content) in contents.enumerated() {
        let first = Int64(index * 10 + 1)
        let unit = try manifest.add(
          segment: 3, ids: first...first + 9, content: content, shard: index % 2 == 0 ? "b" : "a")
        #expect(unit.content == content && !unit.mayBeThere)
      }
      let all = try manifest.units()
      try manifest.confirm(all[0])
      var renewed = all[1]
      renewed.generation = 1
      renewed.segment = 4
      renewed.content = UnitContent(rows: 1, checksum: 9)
      try manifest.renew(renewed)
      try manifest.move(all[0], to: 4)
      // Read before.
      try manifest.move(all[0], to: 5)
      #expect(try manifest.units(in: 1...20, outside: 4).isEmpty && manifest.units(in: 1...30, outside: 4).count == 1)
      // A confirmation of the generation before, which comes late.
      try manifest.confirm(all[1])
      let home = manifest.home
      try manifest.close()

      let again = try ShippingManifest(path: path, homeID: 5)
      #expect(again.home == home)
      #expect(try again.lastID() == 40)
      #expect(try again.unconfirmed(shard: "b").map(\.number) == [3])
      #expect(try again.unconfirmed(shard: "a").map(\.generation) == [1, 0])
      #expect(try again.unconfirmed(shard: "a").allSatisfy(\.mayBeThere))
      #expect(try again.units().map(\.content) == [contents[0], renewed.content, contents[2], contents[3]])
      #expect(try again.units().map(\.segment) == [4, 4, 3, 3])
      #expect(try again.unclean(shard: "a", limit: 9).isEmpty, "it isn't confirmed")
      #expect(try again.unsettled(through: 2) == 1 && again.unsettled(through: 4) == 3)
      // Cleaned before it was renewed once more.
      try again.markClean([all[1]])
      try again.confirm(renewed)
      #expect(try again.unclean(shard: "a", limit: 9).map(\.number) == [2])
      try again.markClean([renewed])
      #expect(try again.unclean(shard: "a", limit: 9).isEmpty && again.unsettled(through: 2) == 0)
      #expect(
        try again.progress() == [
          "b": ShippingManifest.Progress(confirmedRows: 1, waitingRows: 3),
          "a": ShippingManifest.Progress(confirmedRows: 1, waitingRows: 4),
        ])
      try again.close()
    }
  }

  @Test func `an empty manifest has no units, and each has an epoch of its own`() throws {
    var homes: Set<ShippingManifest.Home> = []
    for _ in 0..<2 {
      try withDirectory { path in
        let manifest = try ShippingManifest(path: path, homeID: 5)
        #expect(try manifest.lastID() == 0 && manifest.progress().isEmpty && manifest.unconfirmed(shard: "a").isEmpty)
        homes.insert(manifest.home)
        try manifest.close()
      }
    }
    #expect(homes.count == 2 && Set(homes.map(\.id)) == [5])
  }

  @Test func `a manifest of an earlier version keeps its units`() throws {
    try withDirectory { path in
      let old = try DatabaseQueue(path: path)
      try old.write { database in
        try database.execute(
          sql: """
            CREATE TABLE home (id INTEGER NOT NULL, epoch INTEGER NOT NULL);
            CREATE TABLE unit (
              number INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, shard TEXT NOT NULL,
              segment INTEGER NOT NULL, first_id INTEGER NOT NULL, last_id INTEGER NOT NULL, rows INTEGER NOT NULL,
              checksum INTEGER NOT NULL, is_confirmed INTEGER NOT NULL, is_clean INTEGER NOT NULL
            );
            CREATE INDEX unit_waiting ON unit (shard, number) WHERE NOT is_confirmed;
            CREATE INDEX unit_unclean ON unit (shard, number) WHERE NOT is_clean;
            CREATE INDEX unit_rows ON unit (first_id, segment);
            CREATE INDEX unit_progress ON unit (shard, is_confirmed, rows);
            CREATE TABLE server (url TEXT PRIMARY KEY, shard TEXT, replica TEXT) WITHOUT ROWID;
            INSERT INTO home VALUES (5, -7);
            INSERT INTO unit VALUES (1, 2, 'a', 3, 1, 10, 9, -8, 1, 1), (2, 0, 'b', 3, 11, 20, 10, 8, 0, 1);
            PRAGMA application_id = 1416785491; PRAGMA user_version = 1;
            """)
      }
      try old.close()
      let manifest = try ShippingManifest(path: path, homeID: 5)
      let epoch = UInt64(bitPattern: -7)
      #expect(manifest.home.epoch == epoch)
      let units = try manifest.units()
      #expect(units.map(\.id) == [1, 2].map { ShippingUnit.ID(epoch: epoch, number: $0) })
      #expect(units[0].generation == 2 && units[0].content == UnitContent(rows: 9, checksum: UInt64(bitPattern: -8)))
      #expect(try manifest.unconfirmed(shard: "b").map(\.number) == [2] && manifest.unconfirmed(shard: "a").isEmpty)
      #expect(try manifest.add(segment: 4, ids: 21...30, content: .empty, shard: "a").number == 3)
      try manifest.close()
    }
  }

  @Test func `units of an earlier manifest are beside those of this one, under their own names`() throws {
    try withDirectory { path in
      let manifest = try ShippingManifest(path: path, homeID: 5) { 9 }
      let adopted = ShippingUnit(epoch: 8, number: 1, generation: 3, segment: 2, ids: 1...10, content: .empty)
      for _ in 0..<2 { try manifest.adopt(adopted, shard: "a", isClean: false) }
      let unit = try manifest.add(segment: 4, ids: 11...20, content: UnitContent(rows: 9, checksum: 1), shard: "a")
      #expect(unit.number == 1 && unit.epoch == 9)
      #expect(try manifest.lastNumber() == 1 && manifest.lastID() == 20 && manifest.adoptedUnits() == [adopted.id])
      #expect(try manifest.ranges(after: 0) == [1...10, 11...20] && manifest.ranges(after: 10) == [11...20])
      #expect(try manifest.unconfirmed(shard: "a").map(\.id) == [unit.id])
      #expect(try manifest.unsettled(through: 0) == 1, "the older generation of the adopted one")
      try manifest.renew(adopted.next(UnitContent(rows: 1, checksum: 2)))
      #expect(try manifest.unit(adopted.id)?.generation == 4 && manifest.unit(unit.id)?.generation == 0)
      try manifest.confirm(unit)
      #expect(try manifest.unconfirmed(shard: "a").map(\.id) == [adopted.id])
      try manifest.close()
    }
  }

  @Test func `the manifest of another home is refused`() throws {
    try withDirectory { path in
      try ShippingManifest(path: path, homeID: 5).close()
      let error = #expect(throws: WarehouseError.self) { try ShippingManifest(path: path, homeID: 6) }
      #expect(error?.code == .invalid)
    }
  }

  @Test func `the places of servers are known at the next start`() throws {
    try withDirectory { path in
      let manifest = try ShippingManifest(path: path, homeID: 5)
      let server = try ClickHouseServer("http://db1:8123")
      try manifest.note(ClusterTopology.Place(server, shard: "1", replica: "a"))
      try manifest.note(ClusterTopology.Place(server, shard: "2", replica: nil))
      let place = try #require(try manifest.places()[server.url])
      #expect(place.shard == "2" && place.replica == nil)
      try manifest.close()
    }
  }

  @Test func `a file of another program is refused`() throws {
    try withDirectory { path in
      try Data("This is no database, but a long enough text to be looked at as one, in vain.".utf8)
        .write(to: URL(fileURLWithPath: path))
      #expect(throws: (any Error).self) { try ShippingManifest(path: path, homeID: 5) }
    }
  }
}
