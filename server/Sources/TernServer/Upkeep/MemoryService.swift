import ServiceLifecycle
import WarehouseSQLite

/// Returns to the system the memory that a burst took, so that it is free again within a minute.
struct MemoryService: Service {
  private static let interval: Duration = .seconds(30)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: Self.interval)) != nil { FreedMemory.giveBack() }
    }
  }
}
