import TernBase

#if canImport(Darwin)
  import Darwin
  import Foundation
  import TernEvents

  /// Tracks uncaught Objective-C exceptions once enabled. Swift traps and signals are not exceptions.
  package func systemExceptionTracking(record: @escaping @Sendable (String) -> Void) -> any ExceptionTracking {
    UncaughtExceptions(SystemExceptions(), record: record)
  }

  #if canImport(ObjectiveC)
    private typealias SystemHandler = @convention(c) (NSException) -> Void
  #else
    // Never used on Apple platforms; it lets Scripts/check type-check this file elsewhere.
    private typealias SystemHandler = @Sendable (NSException) -> Void
  #endif

  private struct SystemExceptions: ExceptionSystem {
    /// The closure that the handler calls, which is global because a C function has no context.
    private static let body = Locked<(@Sendable (NSException) -> Void)?>(nil)

    var handler: SystemHandler? {
      get { NSGetUncaughtExceptionHandler() }
      nonmutating set { NSSetUncaughtExceptionHandler(newValue) }
    }

    func makeHandler(_ body: @escaping @Sendable (NSException) -> Void) -> SystemHandler {
      Self.body.withLock { $0 = body }
      return { exception in
        let body = SystemExceptions.body.withLock { $0 }
        body?(exception)
      }
    }

    func call(_ handler: SystemHandler, _ exception: NSException) { handler(exception) }

    func describe(_ exception: NSException) -> String {
      let place = exception.callStackSymbols.dropFirst().first.map { " at \($0)" } ?? ""
      return "\(exception.name.rawValue): \(exception.reason ?? "no reason")\(place)"
    }
  }
#endif
