import Foundation
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Compares the schemas of exports with what exports write.
@Suite struct ExportSchemaTests {
  /// A JSON value.
  private indirect enum Value: Decodable {
    case boolean, integer, double, text
    case list([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if (try? container.decode(Bool.self)) != nil {
        self = .boolean
      } else if (try? container.decode(Int64.self)) != nil {
        self = .integer
      } else if (try? container.decode(Double.self)) != nil {
        self = .double
      } else if (try? container.decode(String.self)) != nil {
        self = .text
      } else if let values = try? container.decode([Value].self) {
        self = .list(values)
      } else {
        self = .object(try container.decode([String: Value].self))
      }
    }
  }

  /// Adds the paths of all values, and records those that the schema doesn't have, or with another type.
  private func check(_ value: Value, _ kind: ExportField.Kind, at path: String, _ seen: inout Set<String>) {
    switch (kind, value) {
    case (.integer, .integer), (.boolean, .boolean), (.text, .text), (.json, _),
      (.double, .double), (.double, .integer), (.double, .text):
      seen.insert(path)
    case (.list(let element), .list(let values)):
      for value in values { check(value, element, at: path, &seen) }
    case (.object(let fields), .object(let members)):
      for (name, value) in members {
        guard let field = fields.first(where: { $0.name == name }) else {
          Issue.record("the schema lacks \(path).\(name)")
          continue
        }
        check(value, field.kind, at: "\(path).\(name)", &seen)
      }
    default: Issue.record("the schema has another type than \(value) at \(path)")
    }
  }

  private func paths(_ kind: ExportField.Kind, at path: String) -> Set<String> {
    switch kind {
    case .object(let fields):
      fields.reduce(into: []) { $0.formUnion(paths($1.kind, at: "\(path).\($1.name)")) }
    case .list(let element): paths(element, at: path)
    case .integer, .double, .boolean, .text, .json: [path]
    }
  }

  private func export(
    _ format: ExportRequest.Format, of app: App, _ warehouse: SQLiteWarehouse
  ) async throws -> [String] {
    let request = ExportRequest(app: app, format: format, server: "tests")
    var bytes: [UInt8] = []
    var cursor: ExportCursor? = .start
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(request, at: place)
      bytes += page.bytes
      cursor = page.next
    }
    return bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `the schema has every member that rows have, with its type, and no other one`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin")
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    var traffic = RandomTraffic(
      seed: 21, apps: [app.id], center: timestamp("2026-05-04T12:00:00Z"), days: 10, isOrdered: true)
    for _ in 0..<60 {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
    // Rows with what random traffic may lack.
    let full = [
      #"{"tern":"export","version":1,"server":"other","app":1,"name":"Player","timeZone":"Europe/Berlin"}"#,
      #"{"row":1,"kind":"event","name":"Play","time":1777888800000,"microseconds":7,"received":1777888860000,"#
        + #""install":"0f8fad5b-d9cb-469f-a165-70867728950e","session":"1f","startsSession":true,"user":"007","#
        + #""key":{"time":1777888800000,"hash":"1e5"},"device":{"timeZoneOffset":120,"osName":"iOS","#
        + #""osVersion":"2E5","model":"iPhone15,2","locale":"pt_BR","country":"NA","appVersion":"1.10","#
        + #""appBuild":"007","sdkName":"tern","sdkVersion":"0.1.0"},"properties":[{"name":"a","string":"NA"},"#
        + #"{"name":"b","integer":-9007199254740993},{"name":"c","double":"inf"},{"name":"d","boolean":false},"#
        + #"{"name":"e","date":-5}]}"#,
      #"{"row":2,"kind":"screen","name":"Home","time":1777888800000,"received":1777888860000,"install":"143.16","#
        + #""measurement":true,"device":{"timeZoneOffset":0},"parameters":[["t","screenview"],["cd","Home"]]}"#,
      #"{"row":3,"kind":"crash","name":"IOError","time":1777888800000,"received":1777888860000,"#
        + #""install":"0f8fad5b-d9cb-469f-a165-70867728950e","device":{"timeZoneOffset":0},"#
        + #""error":{"id":"698d843d-9505-4388-97e7-fe2bbd729127","type":"IOError","place":"","#
        + #""fingerprint":"b3be3393af4e987f","message":"disk full","stack":"","raw":"e30="}}"#,
      #"{"end":true}"#,
    ]
    var isRead = false
    _ = try await warehouse.importRows(to: app, server: "tests") {
      defer { isRead = true }
      return isRead ? [] : [UInt8](full.map { $0 + "\n" }.joined().utf8)
    }

    let rows = try await export(.ndjson, of: app, warehouse).filter { $0.hasPrefix("{\"row\":") }
    #expect(rows.contains { $0.contains("-9007199254740993") })
    var seen: Set<String> = []
    for row in rows {
      let value = try JSONDecoder().decode(Value.self, from: Data(row.utf8))
      check(value, .object(ExportField.members), at: "row", &seen)
    }
    #expect(seen == paths(.object(ExportField.members), at: "row"))
  }

  @Test func `the Table Schema has the columns of a CSV export, in their order`() async throws {
    struct Schema: Decodable {
      struct Field: Decodable {
        var name: String
        var type: String
        var description: String
      }
      var fields: [Field]
      var primaryKey: String
      var missingValues: [String]
    }
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin")
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let header = try #require(try await export(.csv, of: app, warehouse).first)
    let schema = try JSONDecoder().decode(Schema.self, from: Data(ExportSchema.frictionless.text.utf8))
    #expect(
      schema.fields.map(\.name) == header.trimmingCharacters(in: .newlines).split(separator: ",").map(String.init))
    #expect(
      schema.fields.filter { $0.type == "integer" }.map(\.name) == [
        "row", "time", "microseconds", "received", "time_zone_offset",
      ])
    #expect(schema.fields.filter { $0.type == "object" }.map(\.name) == ["properties", "parameters"])
    #expect(schema.fields.allSatisfy { !$0.description.isEmpty })
    #expect(schema.primaryKey == "row" && schema.missingValues == [""])
  }

  @Test func `DuckDB gets properties as a list of structs, and errors as JSON`() {
    let lines = ExportSchema.duckdb.text.split(separator: "\n")
    for line in [
      #"  "row": 'BIGINT',"#, #"  "install": 'VARCHAR',"#, #"  "startsSession": 'BOOLEAN',"#,
      #"  "key": 'STRUCT("time" BIGINT, "hash" VARCHAR)',"#,
      #"  "properties": 'STRUCT("name" VARCHAR, "string" VARCHAR, "integer" BIGINT, "double" DOUBLE, "#
        + #""boolean" BOOLEAN, "date" BIGINT)[]',"#,
      #"  "parameters": 'VARCHAR[][]',"#, #"  "error": 'JSON'"#, #"  "app_build": 'VARCHAR',"#,
      #"  nullstr = '', allow_quoted_nulls = false, columns = {"#,
    ] {
      #expect(lines.contains(line[...]), "\(line)")
    }
  }
}
