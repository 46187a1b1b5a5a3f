#if canImport(Darwin)
  public import Darwin
#elseif canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#endif

/// State that is accessible only while a lock is held.
///
/// A plain pthread mutex: `Synchronization.Mutex` is invisible to the thread sanitizer on Linux and collapses under
/// contention there. `@unchecked Sendable` because every access to `state` goes through `withLock`.
public final class Locked<State>: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Outside the object, because the lock alone guards it: each access to a stored property would be checked once more.
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// Creates a lock around an initial state.
  public init(_ state: State) {
    // A state of size zero has no address of its own, so the thread sanitizer would confuse unrelated ones.
    assert(MemoryLayout<State>.size > 0, "Give the lock a state of at least one byte, such as a Bool.")
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs `body` with the state. It must not call app code; do that after unlocking.
  @inlinable @inline(__always)
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }
}
