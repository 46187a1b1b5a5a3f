#if canImport(Darwin)
  package import Foundation
  import TernEvents

  /// Objective-C's uncaught exceptions; traps of Swift and signals are none.
  package struct SystemExceptions: ExceptionSystem {
    /// What the one handler calls: a C function takes nothing along.
    private static let body = Locked<(@Sendable (NSException) -> Void)?>(nil)

    package init() {}

    package var handler: (@convention(c) (NSException) -> Void)? {
      get { NSGetUncaughtExceptionHandler() }
      nonmutating set { NSSetUncaughtExceptionHandler(newValue) }
    }

    package func makeHandler(
      _ body: @escaping @Sendable (NSException) -> Void
    ) -> @convention(c) (NSException) -> Void {
      Self.body.withLock { $0 = body }
      return { exception in
        let body = SystemExceptions.body.withLock { $0 }
        body?(exception)
      }
    }

    package func call(_ handler: @convention(c) (NSException) -> Void, _ exception: NSException) { handler(exception) }

    package func describe(_ exception: NSException) -> String {
      let place = exception.callStackSymbols.dropFirst().first.map { " at \($0)" } ?? ""
      return "\(exception.name.rawValue): \(exception.reason ?? "no reason")\(place)"
    }
  }
#endif
