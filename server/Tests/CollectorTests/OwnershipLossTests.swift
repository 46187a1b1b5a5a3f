import Foundation
import Testing
import Warehouse

@testable import TernServer

#if os(Linux)
  /// The end of a server that has lost its directory. Each test runs in a process of its own, which ends.
  @Suite struct OwnershipLossTests {
    @Test func `a server ends although nobody reads what it logs`() async {
      await #expect(processExitsWith: .exitCode(2)) {
        fillStandardError()
        LocalServer.stop(WarehouseError(.unavailable, "lost"), LocalServer.standardLogger)
      }
    }

    @Test func `a server whose directory is gone ends so that it isn't started again`() async {
      await #expect(processExitsWith: .exitCode(3)) {
        LocalServer.stop(WarehouseError(.gone, "gone"), LocalServer.standardLogger)
      }
    }
  }

  /// Makes the next write to standard error block.
  private func fillStandardError() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else { return }
    let bytes = [UInt8](repeating: 0, count: 4_096)
    while write(ends[1], bytes, bytes.count) > 0 {}
    while write(ends[1], bytes, 1) > 0 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    dup2(ends[1], STDERR_FILENO)
  }
#endif
