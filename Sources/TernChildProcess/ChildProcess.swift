#if os(Linux) || os(macOS)
  public import Foundation

  #if os(Linux)
    import CTernSpawn
  #endif

  /// A process started by this one. It is killed when this object is deallocated.
  ///
  /// Foundation's `Process` lists the open descriptors before it starts a child, and crashes when there are about 1,360
  /// (Swift 6.3.1). This class leaves closing them to `posix_spawn`.
  public final class ChildProcess: Sendable {
    /// The way in which a process ended.
    public enum Exit: Hashable, Sendable {
      /// The process returned this code.
      case code(Int32)
      /// This signal ended the process.
      case signal(Int32)
    }

    /// The error code of a process that could not be started.
    public struct StartError: Error, CustomStringConvertible {
      /// The program.
      public let program: String
      /// The code, as in `errno`.
      public let code: Int32
      /// The program and the reason.
      public var description: String { "Couldn't start \(program): \(String(cString: strerror(code)))" }
    }

    /// The number of the process.
    public let identifier: Int32
    private let exit = ExitState()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path, or its name to search for in `PATH`.
    ///   - arguments: Its arguments, without its name.
    ///   - environment: Variables to set.
    ///   - inheritsEnvironment: True, the default, to set them in addition to those of this process.
    ///   - input: The file for standard input; `nil`, the default, for an empty one.
    ///   - output: The file for standard output; `nil` to discard it. Default: that of this process.
    ///   - error: The file for standard error; `nil` to discard it. Default: that of this process.
    public init(
      _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
      inheritsEnvironment: Bool = true, input: FileHandle? = nil, output: FileHandle? = .standardOutput,
      error: FileHandle? = .standardError
    ) throws {
      #if os(Linux)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
      #else
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
      #endif
      posix_spawn_file_actions_init(&actions)
      posix_spawnattr_init(&attributes)
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      for (file, descriptor) in [(input, Int32(0)), (output, 1), (error, 2)] {
        if let file {
          posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, descriptor)
        } else {
          posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
      }
      // A process group of its own: Ctrl-C in a terminal is for the parent, which ends its children in order. Without
      // the other flags, the child would inherit blocked and ignored signals.
      var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD] { sigaddset(&signals, signal) }
      posix_spawnattr_setsigdefault(&attributes, &signals)
      #if os(Linux)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
      #else
        flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
      #endif
      posix_spawnattr_setflags(&attributes, Int16(flags))

      let inherited = inheritsEnvironment ? ProcessInfo.processInfo.environment : [:]
      let variables = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
      let code = Self.withCStrings([program] + arguments) { arguments in
        Self.withCStrings(variables) { variables in
          var identifier: pid_t = 0
          let code = posix_spawnp(&identifier, program, &actions, &attributes, arguments, variables)
          return code == 0 ? identifier : -code
        }
      }
      guard code > 0 else { throw StartError(program: program, code: -code) }
      identifier = code
    }

    deinit { kill() }

    /// True until the process has ended.
    public var isRunning: Bool { exit.reap(identifier, WNOHANG) == nil }

    /// Waits for the process to end, blocking the thread.
    @discardableResult
    public func wait() -> Exit {
      // Leave the process for `reap`: until it is reaped, its identifier cannot be reused.
      var information = siginfo_t()
      while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      while true {
        if let exit = exit.reap(identifier, 0) { return exit }
      }
    }

    /// Waits for the process to end, on a thread of its own.
    @discardableResult
    public func ended() async -> Exit {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [self] in continuation.resume(returning: wait()) }
      }
    }

    /// Sends a signal, unless the process has ended.
    public func send(_ signal: Int32) {
      exit.ifRunning { _ = systemKill(identifier, signal) }
    }

    /// Kills the process, as a crash would, and waits for it to end.
    @discardableResult
    public func kill() -> Exit {
      send(SIGKILL)
      return wait()
    }

    private static func withCStrings<Value>(
      _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
      var pointers = strings.map { strdup($0) } + [nil]
      defer { for pointer in pointers { free(pointer) } }
      return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
  }

  /// The exit of a process once it is known.
  ///
  /// The compiler cannot see that the lock guards it.
  private final class ExitState: @unchecked Sendable {
    private let lock = NSLock()
    private var exit: ChildProcess.Exit?

    func ifRunning(_ body: () -> Void) {
      lock.withLock { if exit == nil { body() } }
    }

    /// Returns the exit, asking the system if it is not known yet.
    func reap(_ identifier: pid_t, _ options: Int32) -> ChildProcess.Exit? {
      lock.withLock {
        if let exit { return exit }
        var status: Int32 = 0
        guard waitpid(identifier, &status, options) == identifier else { return nil }
        let signal = status & 0x7f
        exit = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
        return exit
      }
    }
  }

  private func systemKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }
#endif
