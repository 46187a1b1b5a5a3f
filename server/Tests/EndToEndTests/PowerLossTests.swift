#if os(Linux)
  import Foundation
  import TernChildProcess
  import Testing

  /// The server's stores on a disk that forgets and tears what wasn't synced.
  @Suite(.serialized) struct PowerLossTests {
    @Test func `what the server has confirmed survives a power loss at any operation`() throws {
      let (status, output) = try simulate("--states", "600")
      #expect(status == .code(0), "\(output)")
    }

    @Test(arguments: ["*/counts.sqlite-wal", "*/warehouse.sqlite-wal", "*/catalog.sqlite-wal", "*.rows", "/"])
    func `a sync that is left out is found`(pattern: String) throws {
      let (status, output) = try simulate("--states", "600", "--seed", "1", "--omit-syncs", pattern)
      #expect(status == .code(1) && output.contains("power lost"), "\(output)")
    }

    private func simulate(_ arguments: String...) throws -> (ChildProcess.Exit, String) {
      let workspace = try Workspace()
      let program = workspace.tern.deletingLastPathComponent().appending(path: "simulate-server")
      let process = try workspace.start(program, arguments, output: "simulation")
      let status = process.wait()
      return (status, try String(contentsOfFile: workspace.path("simulation"), encoding: .utf8))
    }
  }
#endif
