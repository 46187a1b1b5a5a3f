#if os(Linux)
  import Foundation
  import TernChildProcess
  import Testing

  @testable import Symbols

  /// Attempts of a program that took over the symbolizer.
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
        if (!strncmp(kind, "library", 7)) {
          snprintf(other, sizeof other, "%.*s/lib/library", (int)(strrchr(path, '/') - path), path);
          done = open(other, O_RDONLY) >= 0;
        }
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
            // The address space is limited, so nothing needs to be written.
            char *volatile bytes = malloc(64 << 20);
            if (!bytes) done = 0;
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

    @Test func `the launcher doesn't get the server's environment`() throws {
      let output = try SymbolizerProcess(launcher: "/usr/bin/env").run(
        [], input: [], until: .now + .seconds(60))
      #expect(String(decoding: output, as: UTF8.self) == "SWIFT_BACKTRACE=enable=no\n")
    }

    private struct Attack {
      let program: SampleProgram
      let path: String
      let file: String

      /// The program is in a folder `bin`, whose neighbor `lib` may be read, but nothing else beside it.
      init() throws {
        program = try SampleProgram(SandboxTests.attacker)
        let folder = program.directory.path
        for name in ["bin", "lib"] {
          try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        }
        path = "\(folder)/bin/attacker"
        try FileManager.default.moveItem(atPath: program.path, toPath: path)
        file = try program.directory.write([1, 2, 3], "symbols")
        _ = try program.directory.write([1], "symbols.secret")
        _ = try program.directory.write([1], "lib/library")
      }

      func run(
        _ kind: String, launcher: String = SymbolicatorTests.tern, within time: Duration = .seconds(120)
      ) -> Result<String, SymbolizerProcess.Failure> {
        Result(catching: { () throws(SymbolizerProcess.Failure) in
          let output = try SymbolizerProcess(launcher: launcher).run(
            [Symbolicator.commandName, "--program", path, "--file", file], input: Array(kind.utf8),
            until: .now + time)
          return String(decoding: output, as: UTF8.self)
        })
      }
    }

    @Test(arguments: ["read", "library"]) func `the symbolizer can read its file and its libraries`(
      _ kind: String
    ) throws {
      #expect(try Attack().run(kind).get() == "done\n")
    }

    /// Starts the launcher under a filter of system calls that doesn't know Landlock, as in a service of systemd 252.
    private static func filter(_ launcher: String) -> String {
      #"""
      #include <errno.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        struct sock_filter instructions[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 444, 0, 2),
          BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 446, 1, 0),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {sizeof instructions / sizeof *instructions, instructions};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 11;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) return 12;
        if (syscall(444, 0, 0, 1) != -1 || errno != EPERM) return 13;
        execv("\#(launcher)", arguments);
        return 14;
      }
      """#
    }

    @Test func `a service whose filter forbids Landlock reads symbols, with the other limits`() throws {
      let launcher = try SampleProgram(Self.filter(SymbolicatorTests.tern))
      let attack = try Attack()
      #expect(try attack.run("read", launcher: launcher.path).get() == "done\n")
      for kind in ["write", "create", "remove", "socket", "fork", "run"] {
        #expect(try attack.run(kind, launcher: launcher.path).get() == "denied\n", "\(kind)")
      }
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
      #expect(attack.run("spin", within: .milliseconds(700)) == .failure(.timedOut))
      #expect(attack.run("flood") == .failure(.failed))
    }

    @Test func `demangling a name that would take all memory fails`() throws {
      // A dictionary of dictionaries, 25 deep: each level repeats the one in it as key and value, so the text doubles.
      let repeated = (0..<24).map { "A\(Character(UnicodeScalar(UInt8(65 + $0))))G" }.joined()
      let bomb = "$s" + String(repeating: "SDy", count: 25) + "SiSiG" + repeated + "D"
      #expect(throws: SymbolizerProcess.Failure.failed) { try demangled([bomb]) }
    }

    @Test func `names are demangled line by line, and others stay as they are`() throws {
      #expect(
        try demangled(["$sSi", "$s4main3fooyyF", "plain", ""]) == ["Swift.Int", "main.foo() -> ()", "plain", ""])
    }

    private func demangled(_ names: [String]) throws(SymbolizerProcess.Failure) -> [String] {
      let output = try SymbolizerProcess(launcher: SymbolicatorTests.tern).run(
        [Symbolicator.commandName], input: Array(names.joined(separator: "\n").utf8), until: .now + .seconds(120))
      return String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        .dropLast().map(String.init)
    }

    @Test func `a program that can't be started isn't taken for a damaged file or a kernel without confinement`() throws
    {
      let attack = try Attack()
      for (program, file) in [("\(attack.path).missing", attack.file), (attack.path, "\(attack.file).missing")] {
        let failure = #expect(throws: SymbolizerProcess.Failure.self) {
          try SymbolizerProcess(launcher: SymbolicatorTests.tern).run(
            [Symbolicator.commandName, "--program", program, "--file", file], input: [], until: .now + .seconds(120))
        }
        guard case .notStarted(let reason) = failure else {
          Issue.record("\(failure as Any)")
          continue
        }
        #expect(reason.contains("can't be started"))
      }
    }
  }
#endif
