import TernBase

/// The settings that go with each statement, so that it means the same for every user and version: a user's profile may set others.
final class StatementSettings: Sendable {
  /// The settings that each statement needs. A server gets those that it knows.
  static let values: [String: String] = [
    // Profiles that change numbers, or leave rows out.
    "additional_result_filter": "", "additional_table_filters": "{}", "aggregate_functions_null_for_empty": "0",
    "apply_deleted_mask": "1", "empty_result_for_aggregation_by_empty_set": "0", "extremes": "0", "final": "0",
    "group_by_use_nulls": "0", "limit": "0", "offset": "0", "prefer_column_name_to_alias": "0",
    "transform_null_in": "0",
    // The answer must be that of the moment, and of this replica.
    "allow_experimental_parallel_reading_from_replicas": "0", "enable_parallel_replicas": "0", "use_query_cache": "0",
    // A limit of a profile must be an error, not the end of the answer.
    "distinct_overflow_mode": "throw", "group_by_overflow_mode": "throw", "join_overflow_mode": "throw",
    "read_overflow_mode": "throw", "read_overflow_mode_leaf": "throw", "result_overflow_mode": "throw",
    "set_overflow_mode": "throw", "sort_overflow_mode": "throw", "timeout_overflow_mode": "throw",
    "timeout_overflow_mode_leaf": "throw", "transfer_overflow_mode": "throw",
    // Profiles may refuse queries that use no index.
    "force_index_by_date": "0", "force_primary_key": "0",
    // The form of statements and answers.
    "dialect": "clickhouse", "http_write_exception_in_output_format": "0",
    "input_format_native_decode_types_in_binary_format": "0", "output_format_native_encode_types_in_binary_format": "0",
    "send_progress_in_http_headers": "0",
    // Tables have the types of their statements.
    "data_type_default_nullable": "0",
    // Inserts are synchronous, and a repeated insert is recognized.
    "async_insert": "0", "implicit_transaction": "0", "insert_deduplicate": "1", "insert_deduplication_token": "",
  ]

  /// The settings that can falsify the answer to the question for names itself. A server refuses those that it doesn't know, one
  /// after the other.
  static let forNames: [String: String] = values.filter {
    [
      "additional_result_filter", "additional_table_filters", "dialect", "limit", "offset", "read_overflow_mode",
      "result_overflow_mode", "timeout_overflow_mode", "use_query_cache",
    ].contains($0.key)
  }

  /// The question for the names that a server knows. It is answered as text, because profiles may change the form of others.
  static let names = """
    SELECT name FROM system.settings WHERE name IN (\(values.keys.sorted().map { "'\($0)'" }.joined(separator: ", "))) \
    FORMAT TabSeparated
    """

  /// The exception for a setting that the server doesn't know.
  static let unknownSetting = 115

  private let known = Locked<[ClickHouseServer: [String: String]]>([:])

  /// Returns the settings that a server knows; `nil` if it must be asked.
  func known(by server: ClickHouseServer) -> [String: String]? { known.withLock { $0[server] } }

  /// Notes the names that a server knows.
  ///
  /// - Parameter answer: Its answer to ``names``.
  /// - Returns: The settings for its statements.
  func note(_ answer: [UInt8], from server: ClickHouseServer) -> [String: String] {
    let names = Set(String(decoding: answer, as: UTF8.self).split { $0.isNewline }.map(String.init))
    let settings = Self.values.filter { names.contains($0.key) }
    known.withLock { $0[server] = settings }
    return settings
  }

  /// Forgets a server's settings, because it may have been upgraded.
  func forget(_ server: ClickHouseServer) { known.withLock { $0[server] = nil } }

  /// Returns the setting that a server has refused because it doesn't know it; `nil` if that isn't the error.
  static func refused(_ error: ClickHouseError, of settings: [String: String]) -> String? {
    guard error.exception == unknownSetting else { return nil }
    // Before the number stands the server's address; the text may go on with names that the server knows.
    let text = error.message.firstRange(of: "exception \(unknownSetting)").map { error.message[$0.upperBound...] }
    let words = (text ?? error.message[...]).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    return words.map(String.init).first { settings[$0] != nil }
  }
}
