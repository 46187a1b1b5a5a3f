import AppCenter
import AppCenterCrashes
import Foundation
import ProbeSupport
import Tern
import TernEvents

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An app with a client that ends in the way that `--crash KIND` names, or by SIGKILL without it.
///
/// Options: `--directory PATH`, `--collector URL`, `--key TEXT`, `--user NAME`, `--version TEXT`, `--off` for a client that catches no
/// crashes, `--waits SECONDS` for one that sends crashes at the start, `--errors-off` for one that records no errors,
/// `--previous` and `--later` for another handler, installed before or after the client, `--shutdown` to end the client
/// first, `--steps COUNT` to make steps, `--forget CAUSE` to forget them, `--stepping COUNT` to make them in as many threads
/// until the end, `--terminations` to report them, `--end KIND` to end in another way, `--hang short` or `--hang long` for a
/// main thread that hangs, and `--app-center` to use that SDK's names instead.
/// It prints `session ID`.
@main struct CrashProbe {
  static func main() async throws {
    let options = ProbeOptions(CommandLine.arguments.dropFirst())
    if options["app-center"] != nil { runAppCenter(options) }
    guard let directory = options["directory"] else { fatalError("Pass --directory.") }
    if options["previous"] != nil { OtherHandler.install("previous") }
    var configuration = TernClient.Configuration(key: options["key"] ?? "probe")
    configuration.collector = options["collector"].flatMap(URL.init(string:))
    configuration.queueDirectory = URL(fileURLWithPath: directory, isDirectory: true)
    configuration.appVersion = options["version"]
    configuration.catchesCrashes = options["off"] == nil
    configuration.sendsCrashesAtStart = options["waits"] != nil
    configuration.reportsHangs = options["hang"] != nil
    configuration.reportsTerminations = options["terminations"] != nil
    var environment = TernClient.Environment.live
    if let limit = options["waits"].flatMap(Int.init) { environment.startDelayLimit = .seconds(limit) }
    let tern = try TernClient(configuration, environment: environment)
    if options["later"] != nil { OtherHandler.install("later") }
    if let user = options["user"] { tern.identify(user) }
    if options["errors-off"] != nil { tern.setRecording(false, of: .errors) }
    say("session \(tern.sessionID.map(\.description) ?? "none")")
    if let count = options["steps"].flatMap(Int.init) { for number in 1...count { tern.step("Step \(number)\n") } }
    switch options["forget"] {
    case "user": tern.identify("another")
    case "reset": tern.reset()
    case "erase": tern.erase()
    case "off":
      tern.setRecording(false, of: .errors)
      tern.setRecording(true, of: .errors)
    default: break
    }
    if options["forget"] != nil { tern.step("Later") }
    if let count = options["stepping"].flatMap(Int.init) { Stepping.start(count, tern) }
    if options["shutdown"] != nil { await tern.shutdown() }
    switch options["end"] {
    case "exit": exit(0)
    case "return": return
    case "notice": tern.willTerminate()
    case "background": tern.didEnterBackground()
    case "terminate": kill(getpid(), SIGTERM)
    case "handled":
      tern.flushOnTermination()
      kill(getpid(), SIGTERM)
      while true { try await Task.sleep(for: .seconds(60)) }
    case "child": endChild()
    case "wait": while true { try await Task.sleep(for: .seconds(60)) }
    default: break
    }
    if let kind = options["hang"] { Hang.run(in: directory, isLong: kind == "long") }
    if let kind = options["crash"] { Crash.named(kind) }
    kill(getpid(), SIGKILL)
    withExtendedLifetime(tern) {}
  }
}

/// Ends a forked process by `exit`, in which the handlers of its parent run.
private func endChild() {
  let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
  let child = fork()
  if child == 0 { exit(0) }
  waitpid(child, nil, 0)
}

/// Uses the names of App Center, with the default directory below `XDG_DATA_HOME`: prints `crashed SIGNAL`, and ends by
/// a test crash.
private func runAppCenter(_ options: ProbeOptions) -> Never {
  AppCenter.start(withAppSecret: "6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10", services: [Crashes.self])
  say("crashed \(Crashes.hasCrashedInLastSession ? Crashes.lastSessionCrashReport?.signal ?? "?" : "no")")
  if options["crash"] != nil { Crashes.generateTestCrash() }
  kill(getpid(), SIGKILL)
  exit(1)
}

/// Another reporter's handler: prints its name, and then does what it has replaced.
enum OtherHandler {
  nonisolated(unsafe) private static var name: StaticString = ""
  nonisolated(unsafe) private static var before = sigaction()

  static func install(_ name: StaticString) {
    self.name = name
    var action = sigaction()
    action.sa_flags = SA_SIGINFO | Int32(SA_ONSTACK)
    let handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
      OtherHandler.handle($0, $1, $2)
    }
    #if canImport(Darwin)
      action.__sigaction_u.__sa_sigaction = handler
    #else
      action.__sigaction_handler.sa_sigaction = handler
    #endif
    sigaction(SIGSEGV, &action, &before)
  }

  private static func handle(
    _ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
  ) {
    _ = write(1, name.utf8Start, name.utf8CodeUnitCount)
    _ = write(1, "\n", 1)
    #if canImport(Darwin)
      let next = before.__sigaction_u.__sa_sigaction
    #else
      let next = before.__sigaction_handler.sa_sigaction
    #endif
    let isFunction = unsafeBitCast(next, to: Int.self) > 1
    if before.sa_flags & SA_SIGINFO != 0, isFunction, let next { return next(signal, information, context) }
    var action = before
    sigaction(signal, &action, nil)
  }
}
