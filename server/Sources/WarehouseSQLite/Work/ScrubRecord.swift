import TernBase
package import TernEvents
package import Warehouse

/// The findings of scrubs: how much was checked, and which files are damaged and not mended.
package final class ScrubRecord: Sendable {
  /// A damaged file.
  package struct Damage: Sendable, Hashable {
    package var file: ScrubbedFile
    /// A sentence that names the file and says what to do.
    package var message: String
  }

  private struct State {
    var files = 0
    var bytes = 0
    var mended = 0
    var position: Timestamp?
    var damages: [String: Damage] = [:]
    var suspects: Set<String> = []
    /// The reasons why the files of a part can't be listed.
    var failures: [String: String?] = [:]
  }

  private let state = Locked(State())

  /// Adds files that should be checked soon, by their identities.
  package func suspect(_ identities: [String]) { state.withLock { $0.suspects.formUnion(identities) } }

  /// True if a file is to be checked soon.
  package func isSuspect(_ identity: String) -> Bool { state.withLock { $0.suspects.contains(identity) } }

  /// Returns the files to be checked soon, once.
  package func takeSuspects() -> Set<String> {
    state.withLock { state in
      defer { state.suspects = [] }
      return state.suspects
    }
  }

  package func didRead(_ bytes: Int) { state.withLock { $0.bytes += bytes } }

  /// Records the result of a check. Returns true if it is news.
  @discardableResult
  package func didCheck(_ file: ScrubbedFile, damage: String?) -> Bool {
    state.withLock { state in
      state.files += 1
      let damage = damage.map { Damage(file: file, message: $0) }
      defer { state.damages[file.identity] = damage }
      return state.damages[file.identity]?.message != damage?.message
    }
  }

  package func didMend(_ file: ScrubbedFile) {
    state.withLock { state in
      state.mended += 1
      state.damages[file.identity] = nil
    }
  }

  /// Forgets damaged files that are gone.
  ///
  /// - Parameters:
  ///   - files: All files of some kinds.
  ///   - kinds: These kinds.
  package func keep(_ files: [ScrubbedFile], of kinds: Set<ScrubbedFile.Kind>) {
    let identities = Set(files.map(\.identity))
    state.withLock { state in
      state.damages = state.damages.filter { identities.contains($0.key) || !kinds.contains($0.value.file.kind) }
    }
  }

  /// Records whether the files of a part could be listed. Returns true if a failure is news.
  package func didList(_ part: String, failure: String?) -> Bool {
    state.withLock { state in
      defer { state.failures[part] = .some(failure) }
      return failure != nil && state.failures[part] != .some(failure)
    }
  }

  /// The reasons why files are not checked.
  var failures: [String] {
    state.withLock { state in state.failures.sorted { $0.key < $1.key }.compactMap(\.value) }
  }

  /// Sets the time up to which all files that were due have been checked.
  package func didReach(_ position: Timestamp) { state.withLock { $0.position = position } }

  /// The damaged files, sorted.
  package var damages: [Damage] {
    state.withLock { $0.damages.values.sorted { $0.file.path < $1.file.path } }
  }

  package var status: ScrubStatus {
    state.withLock { state in
      ScrubStatus(
        files: state.files, bytes: state.bytes, mended: state.mended, position: state.position,
        damaged: Dictionary(
          uniqueKeysWithValues: ScrubbedFile.Kind.allCases.map { kind in
            (kind.rawValue, state.damages.values.count { $0.file.kind == kind })
          }),
        failures: state.failures.mapValues { $0 != nil })
    }
  }
}
