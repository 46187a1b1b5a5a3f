import TernBase
package import TernDelivery
import TernEvents
import TernLog

extension Engine {
  /// Enables or disables recording and sending; saved on return, because it is the user's decision.
  package func setEnabled(_ isEnabled: Bool) {
    // One lock covers all of it: of two threads, one is first in every respect.
    files.withLock { files in
      guard recorder.withLock({ $0.setEnabled(isEnabled) }) else {
        // It may be new to the file.
        if files.areSettingsUnknown { files.unsaved.isEnabled = isEnabled }
        files.save()
        return
      }
      files.unsaved.isEnabled = isEnabled
      if !isEnabled { files.unsaved.optOuts += 1 }
      let isSaved = files.save()
      if !isEnabled {
        eraseAll()
        // A full disk has room now. If it still refuses, the loop tries again.
        // Nothing is left that an earlier opt-out of another process could concern.
        if isSaved || files.save() { files.followedOptOuts = files.writtenOptOuts }
      }
      mailbox.post(.input(isEnabled ? .enabled : .disabled))
      if isEnabled { beginSession { $0.enabled() } }
    }
  }

  /// Does what another process of the app was told: recording and sending are the user's to switch, and not of one
  /// process. Returns what the run loop has to be told.
  ///
  /// One system call unless somebody has written the settings. Called before anything is sent, since `track` looks at
  /// no file.
  package func followSettings() -> [MachineInput] {
    files.withLock { files in
      // Unknown settings are learned first: the users of recorded events depend on them.
      if !files.areSettingsUnknown, files.unsaved != SettingsPatch() { files.save() }
      guard let settings = files.newSettings() else { return [] }
      let isFirst = files.areSettingsUnknown
      if isFirst { learn(settings, &files) }
      return follow(settings, &files) + followParts(settings, files) + followRequests(settings, files)
        + (isFirst ? [.resumed] : [])
    }
  }

  /// Opt-outs apply to every process; an off/on toggle between two checks is missed.
  private func followParts(_ settings: PersistedSettings, _ files: StateFiles) -> [MachineInput] {
    let off = files.pending.applied(to: settings).off ?? []
    let (newlyOff, newlyOn) = recorder.withLock { recorder in
      let before = recorder.off
      recorder.off = off
      if off.subtracting(before).contains(.usage) { recorder.sessions.end() }
      return (off.subtracting(before), before.subtracting(off))
    }
    for part in newlyOff { erase(recordEpoch: part.erasure) }
    if newlyOn.contains(.usage) { beginSession { $0.enabled() } }
    return newlyOff.isEmpty ? [] : [.erased]
  }

  private func followRequests(_ settings: PersistedSettings, _ files: StateFiles) -> [MachineInput] {
    let isAllowed = files.pending.allowsRequests ?? settings.allowsRequests ?? true
    return clientState.withLock { state in
      guard state.pauses.contains(.notAllowed) == isAllowed else { return [] }
      if isAllowed { state.pauses.remove(.notAllowed) } else { state.pauses.insert(.notAllowed) }
      return [state.isPaused ? .paused : .resumed]
    }
  }

  private func follow(_ settings: PersistedSettings, _ files: inout StateFiles) -> [MachineInput] {
    // A change of this process that could not be saved takes precedence.
    let isEnabled = files.pending.isEnabled ?? settings.isEnabled
    // Disabled and enabled again since the last look: events recorded before must go all the same.
    let isMissed = files.followedOptOuts != settings.optOuts ?? 0
    files.followedOptOuts = settings.optOuts ?? 0
    let isChanged = recorder.withLock { recorder -> Bool in
      if isMissed, isEnabled { recorder.sessions.end() }
      return recorder.setEnabled(isEnabled)
    }
    if isMissed || isChanged && !isEnabled { eraseAll() }
    guard isEnabled else { return isChanged ? [.disabled] : [] }
    guard isChanged || isMissed else { return [] }
    beginSession { $0.enabled() }
    // Disabled first: requests in flight are cancelled.
    return isMissed ? [.disabled, .enabled] : [.enabled]
  }

  /// Applies settings that could not be read at launch.
  private func learn(_ settings: PersistedSettings, _ files: inout StateFiles) {
    files.areSettingsUnknown = false
    // Changes made since take precedence and are saved separately.
    let changes = files.pending
    let off = changes.applied(to: settings).off ?? []
    recorder.withLock { recorder in
      // Events still in memory, even if another user was set since.
      recorder.resolveBuffered(unknown: files.unknownEpoch, user: settings.user, settings.epoch)
      if changes.user == nil { (recorder.user, recorder.epoch) = (settings.user, settings.epoch) }
      recorder.off = off
      if off.contains(.usage) { recorder.sessions.end() }
    }
    for part in off { erase(recordEpoch: part.erasure) }
    if let bytes = settings.queueBytes, changes.queueBytes == nil { log.setMaximumBytes(bytes) }
    clientState.withLock { state in
      state.pauses.remove(.unknownSettings)
      if settings.allowsRequests == false, changes.allowsRequests == nil { state.pauses.insert(.notAllowed) }
    }
    files.followedOptOuts = settings.optOuts ?? 0
  }

  /// Sets the user; saved on return, or a process that ends now would leave its events to the previous user.
  func setUser(_ user: String?) {
    changeIdentity(user.flatMap { $0.isEmpty ? nil : $0.cut(toBytes: NativeProtocol.maximumNameBytes) })
  }

  /// Ends the present identity; the next one gets its own session.
  func reset() {
    changeIdentity(nil, evenIfSame: true)
    beginSession { $0.current != nil }
  }

  private func changeIdentity(_ user: String?, evenIfSame: Bool = false) {
    files.withLock { files in
      // Apps set the same user at every launch and more often: only a change is worth a look at the disk.
      let isNew = recorder.withLock { !$0.isClosed && (evenIfSame || files.areSettingsUnknown || $0.user != user) }
      guard isNew else { return }
      // Another process counts too: an erasure must distinguish its events from ours.
      let epoch = files.save(user: user, after: recorder.withLock { $0.epoch })
      recorder.withLock { ($0.user, $0.epoch) = (user, epoch) }
      // The loop confirms a change that was written without the lock.
      if files.isUnconfirmed { mailbox.post(.refresh) }
    }
  }

  /// Erases undelivered events of the present identity.
  func erase() {
    files.withLock { _ in
      let (epoch, isClosed) = recorder.withLock { ($0.epoch, $0.isClosed) }
      if !isClosed { erase(recordEpoch: epoch) }
    }
    mailbox.post(.input(.erased))
  }

  /// Saves changes that the disk refused before.
  func saveSettings() {
    files.withLock { _ = $0.save() }
  }
}

extension Recorder {
  /// Enables or disables recording; returns true if that is a change.
  fileprivate mutating func setEnabled(_ isEnabled: Bool) -> Bool {
    guard !isClosed, self.isEnabled != isEnabled else { return false }
    self.isEnabled = isEnabled
    if !isEnabled { sessions.end() }
    return true
  }
}
