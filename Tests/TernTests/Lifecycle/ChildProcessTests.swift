#if canImport(Glibc)
  import Foundation
  import Glibc
  import TernChildProcess
  import Testing

  @Suite struct `A child process` {
    @Test func `starts no matter how many descriptors are open`() throws {
      try raiseDescriptorLimit(to: 2_000)
      var descriptors: [Int32] = []
      defer { for descriptor in descriptors { close(descriptor) } }
      while descriptors.last ?? 0 < 1_500 {
        descriptors.append(open("/dev/null", O_RDONLY))
        try #require(descriptors.last != -1, "errno \(errno)")
        // Foundation's `Process` crashes at one of these numbers.
        guard descriptors.count >= 1_300 else { continue }
        #expect(try ChildProcess("/bin/true").wait() == .code(0), "\(descriptors.count) descriptors")
      }
    }

    /// The test above may pass by chance with `Process`, which reads past the end of a page and crashes only sometimes.
    @Test func `is never started with Foundation's Process`() throws {
      let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
      let folders = ["Sources", "Tests", "Examples", "Benchmarks/Sources", "server/Sources", "server/Tests"]
      let search = { (pattern: String) in
        try ChildProcess("grep", ["-rqE", "--include=*.swift", pattern] + folders.map { "\(root)/\($0)" }).wait()
      }
      #expect(try search("ChildProcess[(]") == .code(0), "the folders exist")
      #expect(try search("(^|[^A-Za-z_])Process([.]init)?[(][)]|[^A-Za-z_]Process[.]run[(]") == .code(1))
    }

    @Test func `inherits no descriptors but its standard streams`() throws {
      let pipe = Pipe()
      let inherited = pipe.fileHandleForWriting.fileDescriptor
      let child = try ChildProcess("/bin/sh", ["-c", "test -e /proc/self/fd/\(inherited)"])
      #expect(child.wait() == .code(1))
    }

    @Test func `reads and writes the given files and receives the given variables`() throws {
      let (input, output) = (Pipe(), Pipe())
      let child = try ChildProcess(
        "sh", ["-c", "read line; echo $GREETING $line"], environment: ["GREETING": "Hello"],
        input: input.fileHandleForReading, output: output.fileHandleForWriting)
      try output.fileHandleForWriting.close()
      try input.fileHandleForWriting.write(contentsOf: Data("Tern\n".utf8))
      let text = try output.fileHandleForReading.readToEnd()
      #expect(text == Data("Hello Tern\n".utf8))
      #expect(child.wait() == .code(0))
    }

    @Test func `ends with its exit code or by a signal, even one that its parent ignores`() async throws {
      #expect(try ChildProcess("/bin/sh", ["-c", "exit 7"]).wait() == .code(7))
      let previous = signal(SIGHUP, SIG_IGN)
      defer { signal(SIGHUP, previous) }
      let sleeper = try ChildProcess("/bin/sleep", ["600"])
      #expect(sleeper.isRunning)
      sleeper.send(SIGHUP)
      let exit = await sleeper.ended()
      #expect(exit == .signal(SIGHUP) && !sleeper.isRunning)
      #expect(sleeper.kill() == .signal(SIGHUP), "the exit status is final")
    }

    @Test func `that cannot be started throws an error`() {
      #expect(throws: ChildProcess.StartError.self) { try ChildProcess("/nowhere/to/be/found") }
    }

    private func raiseDescriptorLimit(to count: rlim_t) throws {
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var limit = rlimit()
      try #require(getrlimit(resource, &limit) == 0)
      limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, count))
      try #require(setrlimit(resource, &limit) == 0)
    }
  }
#endif
