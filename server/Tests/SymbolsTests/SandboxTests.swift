#if os(Linux)
  import Foundation
  import TernChildProcess
  import Testing

  @testable import Symbols

  /// What a program that took over the symbolizer could do.
  struct SandboxTests {
    /// Tries to do what is named by its third argument, and prints `done` if that was possible. The second argument, which
    /// the launcher passes on, has the path of the file with symbols.
    private static let attacker = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/ptrace.h>
      #include <sys/resource.h>
      #include <sys/socket.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      extern char **environ;
      int main(int count, char **arguments) {
        char kind[64] = {0};
        if (read(0, kind, 63) <= 0) return 9;
        char *path = strchr(arguments[1], '=') + 1, other[4096];
        snprintf(other, sizeof other, "%s.secret", path);
        int done = 0;
        if (!strncmp(kind, "read", 4)) done = open(path, O_RDONLY) >= 0;
        if (!strncmp(kind, "secret", 6)) done = open(other, O_RDONLY) >= 0;
        if (!strncmp(kind, "passwords", 9)) done = open("/etc/passwd", O_RDONLY) >= 0;
        if (!strncmp(kind, "process", 7)) done = open("/proc/self/environ", O_RDONLY) >= 0;
        if (!strncmp(kind, "write", 5)) done = open(path, O_WRONLY) >= 0 || open(path, O_RDONLY | O_TRUNC) >= 0;
        if (!strncmp(kind, "create", 6)) done = open(other, O_CREAT | O_RDWR, 0600) >= 0;
        if (!strncmp(kind, "remove", 6)) done = unlink(path) == 0 || rename(path, other) == 0 || chmod(path, 0) == 0;
        if (!strncmp(kind, "socket", 6)) done = socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
        if (!strncmp(kind, "fork", 4)) done = fork() >= 0 || syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0;
        if (!strncmp(kind, "kill", 4)) done = kill(getppid(), 0) == 0 || kill(1, 0) == 0;
        if (!strncmp(kind, "trace", 5)) done = ptrace(PTRACE_TRACEME, 0, 0, 0) == 0;
        if (!strncmp(kind, "run", 3)) { char *list[] = {"true", 0}; execve("/bin/true", list, environ); }
        if (!strncmp(kind, "memory", 6)) {
          done = 1;
          for (int part = 0; part < 40 && done; part++) {
            char *volatile bytes = malloc(64 << 20);
            if (bytes) memset(bytes, 1, 64 << 20); else done = 0;
          }
        }
        if (!strncmp(kind, "limits", 6)) {
          struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
          done = setrlimit(RLIMIT_AS, &all) == 0;
        }
        if (!strncmp(kind, "spin", 4)) for (;;) {}
        if (!strncmp(kind, "flood", 5)) for (;;) if (write(1, other, sizeof other) < 0) return 3;
        if (!strncmp(kind, "environment", 11)) done = environ[0] != NULL;
        puts(done ? "done" : "denied");
        return 0;
      }
      """

    private struct Attack {
      let program: SampleProgram
      let file: String

      init() throws {
        program = try SampleProgram(SandboxTests.attacker)
        file = try program.directory.write([1, 2, 3], "symbols")
        _ = try program.directory.write([1], "symbols.secret")
      }

      func run(_ kind: String, within time: Duration = .seconds(20)) -> Result<String, SymbolizerProcess.Failure> {
        Result(catching: { () throws(SymbolizerProcess.Failure) in
          let output = try SymbolizerProcess(launcher: SymbolicatorTests.tern).run(
            [Symbolicator.commandName, "--program", program.path, "--file", file], input: Array(kind.utf8),
            until: .now + time)
          return String(decoding: output, as: UTF8.self)
        })
      }
    }

    @Test func `the symbolizer can read its file`() throws {
      #expect(try Attack().run("read").get() == "done\n")
    }

    @Test(arguments: [
      "secret", "passwords", "process", "write", "create", "remove", "socket", "fork", "kill", "trace", "run", "memory",
      "limits", "environment",
    ])
    func `the symbolizer can do nothing else`(_ kind: String) throws {
      let attack = try Attack()
      #expect(try attack.run(kind).get() == "denied\n", "\(kind)")
      #expect(try attack.program.directory.bytes("symbols") == [1, 2, 3])
    }

    @Test func `a symbolizer that doesn't end, or writes without end, is killed`() throws {
      let attack = try Attack()
      let started = ContinuousClock.now
      #expect(attack.run("spin", within: .milliseconds(700)) == .failure(.failed))
      #expect(.now - started < .seconds(5))
      #expect(attack.run("flood") == .failure(.failed))
    }

    @Test func `a name that would take all memory when demangled stays as it is`() throws {
      // Each pair of substitutions doubles the text.
      let bomb = "$s" + "Si_Sit" + (0..<26).map { "_A\(Character(UnicodeScalar(UInt8(97 + $0))))t" }.joined() + "D"
      let process = SymbolizerProcess(launcher: SymbolicatorTests.tern)
      let names = [bomb, "$sSi", "$s4main3fooyyF", "plain", ""].joined(separator: "\n")
      let output = try? process.run([Symbolicator.commandName], input: Array(names.utf8), until: .now + .seconds(20))
      let lines = output.map { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) }
      #expect(lines == nil || lines?.contains("main.foo() -> ()") == true && lines?.contains("plain") == true)
    }
  }
#endif
