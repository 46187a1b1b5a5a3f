package import Foundation
import TernBase
import TernEvents
import TernLog
package import TernValues

/// Access to the files in a client's directory before the client exists.
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

  /// The install's identifier, created if missing. If the disk refuses, it is not saved and valid for this call only.
  package var installID: UniqueID {
    files.withLock { files in
      var generator = FastGenerator(seed: seed)
      let made = UniqueID.random(using: &generator)
      return (try? files.installID(orElse: made)) ?? made
    }
  }

  /// The initial state of a client that replaces another SDK.
  package struct Beginning: Sendable {
    var installID: UniqueID
    var isEnabled: Bool
    var allowsRequests: Bool
    var partsOff: Set<TernClient.Part>

    package init(installID: UniqueID, isEnabled: Bool, allowsRequests: Bool, partsOff: Set<TernClient.Part>) {
      self.installID = installID
      self.isEnabled = isEnabled
      self.allowsRequests = allowsRequests
      self.partsOff = partsOff
    }
  }

  /// Imports the state of another SDK unless Tern has its own already; if the disk refuses, the next launch retries.
  package func adopt(_ beginning: () -> Beginning?) {
    files.withLock { files in
      guard !files.hasInstallID, let beginning = beginning() else { return }
      if !beginning.isEnabled { files.unsaved.isEnabled = false }
      if !beginning.allowsRequests { files.unsaved.allowsRequests = false }
      for part in beginning.partsOff { files.unsaved.parts[part] = false }
      files.begin(as: beginning.installID)
    }
  }

  /// True if requests are allowed, including changes made here that could not be saved.
  package var allowsRequests: Bool {
    files.withLock { files in
      files.unsaved.applied(to: (try? files.loadSettings()) ?? PersistedSettings()).allowsRequests ?? true
    }
  }

  /// Allows or forbids requests; returns false if the disk refuses.
  package func setAllowsRequests(_ isAllowed: Bool) -> Bool {
    save { $0.allowsRequests = isAllowed }
  }

  /// True if the user agreed to send all future crash reports; the default is false.
  package var sendsCrashes: Bool {
    get {
      files.withLock { files in
        files.unsaved.applied(to: (try? files.loadSettings()) ?? PersistedSettings()).sendsCrashes ?? false
      }
    }
    nonmutating set { save { $0.sendsCrashes = newValue } }
  }

  /// Enables or disables recording and sending, as ``TernClient/isEnabled`` does; returns false if the disk refuses.
  package func setEnabled(_ isEnabled: Bool) -> Bool {
    save { changes in
      changes.isEnabled = isEnabled
      if !isEnabled { changes.optOuts += 1 }
    }
  }

  /// Enables or disables a part, as ``TernClient/setRecording(_:of:)`` does; returns false if the disk refuses.
  ///
  /// The next client erases the waiting events of a disabled part.
  package func setRecording(_ isOn: Bool, of part: TernClient.Part) -> Bool {
    save { $0.parts[part] = isOn }
  }

  @discardableResult
  private func save(_ change: (inout SettingsPatch) -> Void) -> Bool {
    files.withLock { files in
      try? files.fileSystem.makeDirectory(files.directory)
      change(&files.unsaved)
      return files.save()
    }
  }
}
