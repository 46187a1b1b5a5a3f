import Ingest
import Questions
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// Values that questions name, against all that was ever stored.
@Suite struct UnknownValueTests {
  @Test func `a value is unknown if no row ever had it, and similar ones are named`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "UTC").id
    let other = try catalog.createApp(name: "Other", timeZone: "UTC").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    var device = phone
    (device.appVersion, device.appBuild, device.country) = ("3.3.0", "440", "DE")
    _ = try await warehouse.commit(batch(["Purchase", "Play"], install: "i", device: device), app: app)
    let asked: Set<NamedValue> = [
      NamedValue(.event, "Purchase"), NamedValue(.event, "purchase"), NamedValue(.event, "Purchsae"),
      NamedValue(.event, "Logout"), NamedValue(.version, "3.3.0"), NamedValue(.version, "3.3.0 (440)"),
      NamedValue(.country, "DE"), NamedValue(.country, "FR"), NamedValue(.screen, "Home"),
    ]
    let unknown = try await warehouse.reader.unknownValues(among: asked, app: app)
    // No screen at all was ever stored, so none is unknown.
    #expect(
      unknown == [
        NamedValue(.event, "purchase"): ["Purchase"], NamedValue(.event, "Purchsae"): ["Purchase"],
        NamedValue(.event, "Logout"): [], NamedValue(.version, "3.3.0"): ["3.3.0 (440)"],
        NamedValue(.country, "FR"): [],
      ])
    #expect(try await warehouse.reader.unknownValues(among: asked, app: other).isEmpty, "an app without events")
    try await warehouse.close()
    try catalog.close()
  }
}
