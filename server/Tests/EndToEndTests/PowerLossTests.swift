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

    @Test func `a first start that met a fault of the disk keeps what is confirmed after it`() throws {
      let (status, output) = try simulate("--first-starts", "15")
      #expect(status == .code(0), "\(output)")
    }

    /// Each file that is synced, with the seed of a life that is lost without it.
    @Test(arguments: [
      ("*/counts.sqlite-wal", 1), ("*/warehouse.sqlite-wal", 1), ("*/catalog.sqlite-wal", 1), ("*.rows", 1), ("/", 1),
      ("*/counts.sqlite", 1), ("*/warehouse.sqlite", 1), ("*/catalog.sqlite", 1), ("*.keys.new", 1),
      ("*/backup.json*", 2), ("*.unfinished/symbols/*", 2), ("*.unfinished/rows/*", 2),
    ])
    func `a sync that is left out is found`(pattern: String, seed: Int) throws {
      let (status, output) = try simulate("--states", "600", "--seed", "\(seed)", "--omit-syncs", pattern)
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
