import TernBase

/// The functions at positions in files, of the last looks at stacks.
///
/// Keys contain the file's hash, so entries never go stale. There are two generations: when the younger one is full, it
/// replaces the older one.
final class ResolvedFrameCache: Sendable {
  struct Key: Hashable {
    var hash: String
    var address: UInt64
    /// The call or the type that a mapping names; `nil` for an address.
    var name: RetracedName?
  }

  private struct State {
    var young: [Key: [ResolvedFrame]] = [:]
    var old: [Key: [ResolvedFrame]] = [:]
    var bytes = 0
  }

  private let state = Locked(State())
  private let maximumBytes: Int

  /// - Parameter maximumBytes: The approximate size of a generation.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  subscript(key: Key) -> [ResolvedFrame]? {
    get { state.withLock { $0.young[key] ?? $0.old[key] } }
    set {
      state.withLock { state in
        guard let newValue, state.young[key] == nil else { return }
        state.bytes += newValue.reduce(200 + (key.name?.bytes ?? 0)) {
          $0 + $1.function.utf8.count + $1.file.utf8.count + 64
        }
        state.young[key] = newValue
        guard state.bytes > maximumBytes else { return }
        (state.old, state.young, state.bytes) = (state.young, [:], 0)
      }
    }
  }
}
