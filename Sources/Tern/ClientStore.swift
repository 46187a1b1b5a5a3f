package import Foundation
package import TernEvents
import TernLog

/// What a client keeps in its directory, for those who have to know before there is a client.
package struct ClientStore: Sendable {
  private let files: Locked<StateFiles>
  private let seed: UInt64

  package init(directory: URL, environment: TernClient.Environment) {
    var generator = FastGenerator(seed: environment.seed)
    seed = generator.next()
    files = Locked(
      StateFiles(
        directory: directory.path, fileSystem: environment.fileSystem, isDurable: true, seed: generator.next()))
  }

  /// The install's identifier, made when there is none; one that lasts only for this call when the disk refuses.
  package var installID: UniqueID {
    files.withLock { files in
      var generator = FastGenerator(seed: seed)
      return (try? files.installID(using: &generator)) ?? .random(using: &generator)
    }
  }

  /// Whether requests may be made.
  package var allowsRequests: Bool {
    get { files.withLock { (try? $0.loadSwitches())?.allowsRequests ?? true } }
    nonmutating set {
      files.withLock { files in
        try? files.fileSystem.makeDirectory(files.directory)
        files.unsaved.allowsRequests = newValue
        files.save()
      }
    }
  }
}
