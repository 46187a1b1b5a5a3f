import TernBase

/// Work that a process does once, although tests that share an instance are compiled into it twice.
public enum OncePerProcess {
  private static let done = Locked<Set<String>>([])

  /// Runs `body`, unless it has run under the same name; returns when it has.
  public static func run(_ name: String, _ body: () -> Void) {
    done.withLock { if $0.insert(name).inserted { body() } }
  }
}
