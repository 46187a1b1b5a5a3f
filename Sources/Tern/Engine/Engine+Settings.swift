import TernDelivery
import TernEvents
import TernLog

extension Engine {
  /// PersistedSettings recording and sending on or off; written down on return, since it is the user's will.
  func setEnabled(_ isEnabled: Bool) {
    // One lock over all of it: of two threads that switch at the same time, one is first in every respect.
    files.withLock { files in
      guard recorder.withLock({ $0.setEnabled(isEnabled) }) else {
        // It may be news to the file.
        if files.areSettingsUnknown { files.unsaved.isEnabled = isEnabled }
        return
      }
      files.unsaved.isEnabled = isEnabled
      if !isEnabled { files.unsaved.optOuts += 1 }
      let isSaved = files.save()
      if !isEnabled {
        eraseAll()
        // A full disk has room now. If it still refuses, the run loop tries again and again.
        // Whatever others were told before: nothing is left that it could be about.
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
  func followSettings() -> [DeliveryMachine.Input] {
    files.withLock { files in
      guard let settings = files.newSettings() else { return [] }
      let isFirst = files.areSettingsUnknown
      if isFirst { learn(settings, &files) }
      return follow(settings, &files) + followParts(settings, files) + followRequests(settings, files)
        + (isFirst ? [.resumed] : [])
    }
  }

  /// What is off is off for every process; what another one switched off and on again between two looks is not known.
  private func followParts(_ settings: PersistedSettings, _ files: StateFiles) -> [DeliveryMachine.Input] {
    let off = files.unsaved.applied(to: settings).off ?? []
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

  private func followRequests(_ settings: PersistedSettings, _ files: StateFiles) -> [DeliveryMachine.Input] {
    let isAllowed = files.unsaved.allowsRequests ?? settings.allowsRequests ?? true
    return clientState.withLock { state in
      guard state.pauses.contains(.notAllowed) == isAllowed else { return [] }
      if isAllowed { state.pauses.remove(.notAllowed) } else { state.pauses.insert(.notAllowed) }
      return [state.isPaused ? .paused : .resumed]
    }
  }

  private func follow(_ settings: PersistedSettings, _ files: inout StateFiles) -> [DeliveryMachine.Input] {
    // What this process was told and could not write down counts more.
    let isEnabled = files.unsaved.isEnabled ?? settings.isEnabled
    // Perhaps off and on again since this process looked: what it recorded before is not wanted, all the same.
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
    // Off first: requests under way are called back.
    return isMissed ? [.disabled, .enabled] : [.enabled]
  }

  /// Takes in what a launch could not read.
  private func learn(_ settings: PersistedSettings, _ files: inout StateFiles) {
    files.areSettingsUnknown = false
    // What the app switched since counts more, and is written down by itself.
    let changes = files.unsaved
    let off = changes.applied(to: settings).off ?? []
    recorder.withLock { recorder in
      // Those that are in memory still, whoever was named since.
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
      let isNew = recorder.withLock { !$0.isClosed && (evenIfSame || files.areSettingsUnknown || $0.user != user) }
      guard isNew else { return }
      // Another process counts too: an erasure must tell its events from ours.
      let epoch = files.save(user: user, after: recorder.withLock { $0.epoch })
      recorder.withLock { ($0.user, $0.epoch) = (user, epoch) }
    }
  }

  /// Removes what was recorded under the present identity and has not been delivered.
  func erase() {
    files.withLock { _ in
      let (epoch, isClosed) = recorder.withLock { ($0.epoch, $0.isClosed) }
      if !isClosed { erase(recordEpoch: epoch) }
    }
    mailbox.post(.input(.erased))
  }

  /// Writes down what the disk refused before, if anything.
  func saveSettings() {
    files.withLock { _ = $0.save() }
  }
}

extension Recorder {
  /// PersistedSettings recording on or off; says whether that is new.
  fileprivate mutating func setEnabled(_ isEnabled: Bool) -> Bool {
    guard !isClosed, self.isEnabled != isEnabled else { return false }
    self.isEnabled = isEnabled
    if !isEnabled { sessions.end() }
    return true
  }
}
