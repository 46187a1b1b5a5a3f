import Ingest
import TernEvents
import Testing
import WarehouseContract

@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The errors and attachments of a person who is deleted.
@Suite struct PersonErrorDeletionTests {
  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["Europe/Berlin"])

  init() throws { directory = try TemporaryDirectory() }

  private func open(errorBytes: Int64 = 1 << 30) throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000)
    configuration.maximumErrorBytes = errorBytes
    return try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
  }

  @Test func `errors, texts and attachments of the person go, and a group shows the message of its first error`()
    async throws
  {
    let warehouse = try open()
    func error(_ install: String, _ id: String, _ fingerprint: Int64) -> IncomingBatch {
      var batch = batch(["error", "file", "stray"], install: install)
      batch.events[0].kind = .crash
      for position in [1, 2] { batch.events[position].kind = .attachment }
      batch.errors = [
        IncomingError(
          event: 0, id: id, type: "T\(fingerprint)", message: "of \(install)", place: "p", stack: "s",
          fingerprint: fingerprint, raw: Array("raw".utf8))
      ]
      batch.attachments = [(1, id), (2, "stray of \(install)")].map { position, owner in
        IncomingAttachment(
          event: position, eventID: "e", error: owner, id: "file", name: "n", contentType: "text/plain", part: 0,
          parts: 1, data: Array("data of \(install)".utf8))
      }
      return batch
    }
    for (install, id, fingerprint) in [("a", "1", 7), ("a", "2", 8), ("b", "3", 7)] {
      _ = try await warehouse.commit(error(install, id, Int64(fingerprint)), app: AppID(1))
    }
    try await warehouse.delete(
      PersonDeletionRequest(person: .install("a"), refusesLater: false), app: AppID(1), views: [])
    let found = try await warehouse.reader.reading { connection in
      try [
        "SELECT type || message FROM error_group", "SELECT name FROM error", "SELECT message FROM error_text",
        "SELECT error FROM attachment ORDER BY id", "SELECT data FROM attachment_part",
      ].map { try connection.texts($0) }
    }
    #expect(found == [["T7of b"], ["3"], ["of b"], ["3", "stray of b"], ["data of b", "data of b"]])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  /// States of an attachment when its error's person is deleted.
  enum AttachmentState: CaseIterable {
    case stored
    /// Removed to make room: a copy of the rows may still have it.
    case removed
    /// Stored, but its error doesn't have it.
    case unclaimed
  }

  @Test(arguments: AttachmentState.allCases)
  func `someone else's row that brought an attachment of the person's error stays, in another segment and without it`(
    _ state: AttachmentState
  ) async throws {
    let warehouse = try open(errorBytes: 20_000)
    var crash = batch(["crash"], install: "a")
    crash.events[0].kind = .crash
    crash.errors = [IncomingError(event: 0, id: "1", type: "T", message: "m", place: "p", stack: "s", fingerprint: 7)]
    _ = try await warehouse.commit(crash, app: AppID(1))
    // Enough for segments of their own.
    for number in 0..<40 {
      _ = try await warehouse.commit(batch((0..<9).map { "\(number) \($0)" }, install: "c"), app: AppID(1))
    }
    var files = batch(["file", "piece"], install: "b")
    (files.events[0].kind, files.events[1].kind) = (.attachment, .attachmentPart)
    files.attachments = (0...1).map {
      IncomingAttachment(event: $0, eventID: "e", error: "1", id: "file", part: $0, parts: 2, data: [UInt8($0)])
    }
    _ = try await warehouse.commit(files, app: AppID(1))
    func rows() async throws -> (last: Int64, pieces: Int, segment: Int64?) {
      try await warehouse.reader.reading { connection in
        let last = try StoredSpan.lastRow(connection)
        var reading = try StoredRowReading(
          connection, warehouse.reader.dictionary, warehouse.reader.catalog, hasAttachments: true)
        let scan = try EventScan(connection, after: last - 2)
        var pieces = 0
        while let row = try scan.next() { pieces += try reading.complete(row, scan).attachment == nil ? 0 : 1 }
        return (last, pieces, try StoredSpan.last(connection)?.segment)
      }
    }
    switch state {
    case .stored: break
    case .removed:
      var large = crash
      large.errors[0].raw = Array(repeating: 0x20, count: 16_000)
      large.errors[0].id = "2"
      large.installs = ["c"]
      _ = try await warehouse.commit(large, app: AppID(1))
    case .unclaimed: try await warehouse.perform { try $0.connection.execute("UPDATE attachment SET owner = 0") }
    }
    let before = try await rows()
    #expect(before.pieces == (state == .removed ? 0 : 2))
    try await warehouse.delete(
      PersonDeletionRequest(person: .install("a"), refusesLater: false), app: AppID(1), views: [])
    let after = try await rows()
    #expect(after.pieces == 0 && after.last == before.last && after.segment != before.segment)
    let left = try await warehouse.reader.reading { connection in
      try ["attachment_part", "attachment", "removed_piece"].map {
        try connection.integer("SELECT count(*) FROM \($0)")
      }
    }
    #expect(left == [0, 0, 0])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }
}
