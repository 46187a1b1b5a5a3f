import TernDelivery
import TernEvents
import TernLog

extension Engine {
  /// Switches recording and sending on or off; written down on return, since it is the user's will.
  func setEnabled(_ isEnabled: Bool) {
    // One lock over all of it: of two threads that switch at the same time, one is first in every respect.
    files.withLock { files in
      guard recorder.withLock({ $0.setEnabled(isEnabled) }) else { return }
      files.unsaved.isEnabled = isEnabled
      let isSaved = files.save()
      if !isEnabled {
        log.erase()
        // A full disk has room now. If it still refuses, the run loop tries again and again.
        if !isSaved { files.save() }
      }
      mailbox.post(.input(isEnabled ? .enabled : .disabled))
      if isEnabled { beginSession { $0.enabled() } }
    }
  }

  /// Does what another process of the app was told: recording and sending are the user's to switch, and not of one
  /// process. Returns what the run loop has to be told, if anything.
  ///
  /// One system call unless somebody has written the switches. Called before anything is sent, since `track` looks at
  /// no file.
  func followSwitches() -> DeliveryMachine.Input? {
    files.withLock { files in
      // What this process was told and could not write down counts more.
      guard let isEnabled = files.changedSwitches()?.isEnabled, files.unsaved.isEnabled == nil,
        recorder.withLock({ $0.setEnabled(isEnabled) })
      else { return nil }
      guard isEnabled else {
        log.erase()
        return .disabled
      }
      beginSession { $0.enabled() }
      return .enabled
    }
  }

  /// Names the user; written down on return, or a process that ends now would leave its events to the one before.
  func setUser(_ user: String?) {
    changeIdentity(user.flatMap { $0.isEmpty ? nil : $0.cut(toBytes: NativeProtocol.maximumNameBytes) })
  }

  /// Ends the identity of the present user: whoever comes next is somebody else, in a session of their own.
  func reset() {
    changeIdentity(nil, evenIfSame: true)
    beginSession { $0.current != nil }
  }

  private func changeIdentity(_ user: String?, evenIfSame: Bool = false) {
    files.withLock { files in
      // Apps name the same user at every launch, and more often: only a change is worth a look at the disk.
      let isNew = recorder.withLock { !$0.isClosed && (evenIfSame || $0.user != user) }
      guard isNew else { return }
      // Another process may have counted further: an erasure must tell its events from ours.
      let taken = files.loadSwitches().epoch
      let change = recorder.withLock { recorder -> SwitchChanges.User? in
        guard !recorder.isClosed else { return nil }
        recorder.user = user
        recorder.epoch = max(recorder.epoch, taken) &+ 1
        return SwitchChanges.User(name: user, epoch: recorder.epoch)
      }
      guard let change else { return }
      files.unsaved.user = change
      files.save()
    }
  }

  /// Removes what was recorded under the present identity and has not been delivered.
  func erase() {
    files.withLock { _ in
      let (epoch, isClosed) = recorder.withLock { ($0.epoch, $0.isClosed) }
      if !isClosed { log.erase(epoch: epoch) }
    }
    mailbox.post(.input(.erased))
  }

  /// Writes down what the disk refused before, if anything.
  func saveSwitches() {
    files.withLock { _ = $0.save() }
  }
}

extension Recorder {
  /// Switches recording on or off; says whether that is new.
  fileprivate mutating func setEnabled(_ isEnabled: Bool) -> Bool {
    guard !isClosed, self.isEnabled != isEnabled else { return false }
    self.isEnabled = isEnabled
    if !isEnabled { sessions.end() }
    return true
  }
}
