import ClickHouse
import Foundation
import TernServer

extension ClusterConnection {
  /// Reads the settings; `nil` if they name no cluster.
  ///
  /// - Throws: ``ServerFailure`` for a file that can't be read, or credentials that can't be used.
  init?(_ settings: EffectiveSettings) throws {
    guard let servers = try settings.value(\.clickhouse), !servers.isEmpty else { return nil }
    let database = try settings.value(\.clickhouseDatabase)
    let authorities = try settings.value(\.clickhouseCa)
    if let authorities, !FileManager.default.isReadableFile(atPath: authorities) {
      throw ServerFailure("\(authorities) can't be read.")
    }
    self.init(
      servers: servers, database: database,
      client: ClickHouseClient(try Self.credentials(settings), database: database, authorities: authorities),
      hasAttachments: try settings.value(\.clickhouseAttachments))
  }

  private static func credentials(_ settings: EffectiveSettings) throws -> ClickHouseCredentials {
    do {
      if let path = try settings.value(\.clickhouseCredentials) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
          throw ServerFailure("\(path) can't be read.")
        }
        return try ClickHouseCredentials(line: text)
      }
      return try ClickHouseCredentials(
        user: try settings.value(\.clickhouseUser), password: try settings.value(\.clickhousePassword) ?? "")
    } catch let error as ClickHouseError {
      throw ServerFailure(error.message)
    }
  }
}
