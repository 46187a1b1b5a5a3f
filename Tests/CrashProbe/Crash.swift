import CTernCrash
import Foundation
import ProbeSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The ways to crash. The tests look for the names of the functions in the reports.
enum Crash {
  static func named(_ kind: String) {
    switch kind {
    case "null": crashByNullPointer(UInt(CommandLine.arguments.count))
    case "overflow": print(crashByOverflow(Int.max - 1, CommandLine.arguments.count))
    case "fatal": crashByFatalError("Out of cheese")
    case "index": print(crashByIndex([1, 2, 3], CommandLine.arguments.count + 3))
    case "abort": crashByAbort()
    case "stack": print(crashByRecursion(CommandLine.arguments.count))
    case "library": print(crashInLibrary(UInt(CommandLine.arguments.count)))
    case "thread": crashInThread()
    case "kill": crashByKill()
    case "handler": crashInHandler()
    default: fatalError("Unknown kind of crash: \(kind)")
    }
  }

  @inline(never) static func crashByNullPointer(_ value: UInt) {
    UnsafeMutablePointer<UInt>(bitPattern: 8 &* value / value)?.pointee = value
    say("survived")
  }

  @inline(never) static func crashByOverflow(_ a: Int, _ b: Int) -> Int { a + b }

  @inline(never) static func crashByFatalError(_ text: String) {
    fatalError(text)
  }

  @inline(never) static func crashByIndex(_ values: [Int], _ index: Int) -> Int { values[index] }

  @inline(never) static func crashByAbort() {
    abort()
  }

  @inline(never) static func crashByRecursion(_ depth: Int) -> Int {
    depth == .min ? 0 : crashByRecursion(depth &+ 1) &+ crashByRecursion(depth &+ 2)
  }

  @inline(never) static func crashInLibrary(_ value: UInt) -> Int {
    guard let text = UnsafePointer<CChar>(bitPattern: 16 &* value / value) else { return 0 }
    return Int(strlen(text)) &+ 1
  }

  @inline(never) static func crashInThread() {
    let thread = Thread {
      crashByNullPointer(1)
    }
    thread.name = "second"
    thread.start()
    while true { sleep(60) }
  }

  @inline(never) static func crashByKill() {
    kill(getpid(), SIGBUS)
    while true { sleep(60) }
  }

  @inline(never) static func crashInHandler() {
    tern_crash_fail_in_handler()
  }
}
