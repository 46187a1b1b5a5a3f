import RowFiles
import Threads
import Warehouse

/// The threads on which reads run.
extension WarehouseReader {
  /// Runs `body` on a reader thread, in a transaction that sees one snapshot of the data. If rows must be fetched from the
  /// cluster, it runs again, on a thread that may wait.
  ///
  /// - Parameter turn: Reads that share this object run one at a time, without holding up other reads. They fetch rows where
  ///   they run.
  package func reading<Value: Sendable>(
    takingTurnsOn turn: AnyObject? = nil, _ body: @escaping @Sendable (SQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      // At most one reader thread for each object waits for the cluster.
      if let turn { return try await threads.run(for: [ObjectIdentifier(turn)]) { [self] in try read(body) } }
      do {
        return try await threads.run { [self] in try RetiredRowCache.$mayFetch.withValue(false) { try read(body) } }
      } catch let error as WarehouseError where error.code == .rowsAway {
        return try await onFetchingThread { [self] in try read(body) }
      }
    } catch {
      throw WarehouseError.from(error)
    }
  }

  /// Runs `body` on a thread that may wait for the cluster.
  package func onFetchingThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    do {
      return try await fetchingThreads.run(body)
    } catch let refusal as ThreadPoolRefusal {
      throw WarehouseError.from(refusal)
    }
  }

  /// Runs `body` on a thread for questions.
  func onQuestionThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    do {
      return try await questionThreads.run(body)
    } catch let refusal as ThreadPoolRefusal {
      throw WarehouseError.from(refusal)
    }
  }
}
