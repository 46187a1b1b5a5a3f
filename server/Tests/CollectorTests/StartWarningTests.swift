import AppCatalog
import Foundation
import Logging
import Testing
import WarehouseSQLite

@testable import TernServer

/// What a server says about its disk when it starts.
@Suite struct StartWarningTests {
  private func messages(diskReserve: Int64) async throws -> [String] {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-start-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let log = LogRecorder()
    let logger = Logger(label: "test") { _ in log }
    let server = try LocalServer(directory: directory, diskReserve: diskReserve, logger: logger)
    try await server.warehouse.close()
    try server.catalog.close()
    return log.messages
  }

  @Test func `a disk that is smaller than the reserve is said at once`() async throws {
    let messages = try await messages(diskReserve: .max)
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("error: Nothing is collected: Only ") == true, "\(messages)")
    #expect(messages.first?.contains("--disk-reserve") == true)
  }

  @Test func `a disk with room, whose files are private, is not worth a word`() async throws {
    #expect(try await messages(diskReserve: 1) == [])
  }
}
