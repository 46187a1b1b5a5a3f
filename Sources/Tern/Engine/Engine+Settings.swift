import TernBase
package import TernDelivery
import TernEvents
import TernLog

extension Engine {
  /// Enables or disables recording and sending. The choice is the user's, so it is saved before this returns.
  package func setEnabled(_ isEnabled: Bool) {
    // Hold the lock for the whole change, so that concurrent changes do not interleave.
    files.withLock { files in
      guard recorder.withLock({ $0.setEnabled(isEnabled) }) else {
        // The file is unreadable so far and may say otherwise.
        if files.areSettingsUnknown { files.unsaved.isEnabled = isEnabled }
        files.save()
        return
      }
      refreshCrashContext()
      files.unsaved.isEnabled = isEnabled
      if !isEnabled { files.unsaved.optOuts += 1 }
      let isSaved = files.save()
      if !isEnabled {
        eraseAll()
        // Erasing may have freed a full disk: save again. If it still refuses, the loop retries. Earlier opt-outs by
        // other processes need no further erasure.
        if isSaved || files.save() { files.followedOptOuts = files.writtenOptOuts }
      }
      mailbox.post(.input(isEnabled ? .enabled : .disabled))
      if isEnabled { beginSession { $0.enabled() } }
    }
  }

  /// Applies settings that another process of the app has changed; returns the inputs for the delivery loop.
  ///
  /// Costs one system call if nothing has changed. It must be called before anything is sent, since `track` reads no
  /// file.
  package func followSettings() -> [MachineInput] {
    touchLaunch()
    return followChangedSettings()
  }

  private func followChangedSettings() -> [MachineInput] {
    files.withLock { files in
      // Load unknown settings before saving: the user of buffered events depends on them.
      if !files.areSettingsUnknown, files.hasUnsaved { files.save() }
      guard let settings = files.newSettings() else { return [] }
      defer { refreshCrashContext() }
      let isFirst = files.areSettingsUnknown
      if isFirst { applyLateSettings(settings, &files) }
      return follow(settings, &files) + followParts(settings, files) + followRequests(settings, files)
        + (isFirst ? [.resumed] : [])
    }
  }

  /// Applies disabled parts to this process; an off/on toggle between two checks is missed.
  private func followParts(_ settings: PersistedSettings, _ files: StateFiles) -> [MachineInput] {
    let off = files.unsaved.applied(to: settings).off ?? []
    let (newlyOff, newlyOn) = recorder.withLock { recorder in
      let before = recorder.off
      recorder.off = off
      if off.subtracting(before).contains(.usage) { recorder.sessions.end() }
      return (off.subtracting(before), before.subtracting(off))
    }
    for part in newlyOff { erase(part.erasure) }
    if newlyOn.contains(.usage) { beginSession { $0.enabled() } }
    return newlyOff.isEmpty ? [] : [.erased]
  }

  private func followRequests(_ settings: PersistedSettings, _ files: StateFiles) -> [MachineInput] {
    let isAllowed = files.unsaved.allowsRequests ?? settings.allowsRequests ?? true
    return clientState.withLock { state in
      guard state.pauses.contains(.notAllowed) == isAllowed else { return [] }
      if isAllowed { state.pauses.remove(.notAllowed) } else { state.pauses.insert(.notAllowed) }
      return [state.isPaused ? .paused : .resumed]
    }
  }

  private func follow(_ settings: PersistedSettings, _ files: inout StateFiles) -> [MachineInput] {
    // An unsaved change by this process takes precedence.
    let isEnabled = files.unsaved.isEnabled ?? settings.isEnabled
    // Disabled and enabled again since the last check: earlier events must still be erased.
    let isMissed = files.followedOptOuts != settings.optOuts ?? 0
    files.followedOptOuts = settings.optOuts ?? 0
    let isChanged = recorder.withLock { recorder -> Bool in
      if isMissed, isEnabled { recorder.sessions.end() }
      return recorder.setEnabled(isEnabled)
    }
    if isMissed || isChanged && !isEnabled {
      eraseAll()
      forgetSteps()
    }
    guard isEnabled else { return isChanged ? [.disabled] : [] }
    guard isChanged || isMissed else { return [] }
    beginSession { $0.enabled() }
    // `.disabled` first, which cancels requests in flight.
    return isMissed ? [.disabled, .enabled] : [.enabled]
  }

  /// Applies settings that could not be read at launch.
  private func applyLateSettings(_ settings: PersistedSettings, _ files: inout StateFiles) {
    files.areSettingsUnknown = false
    // Changes made since then take precedence and are saved separately.
    let changes = files.unsaved
    let off = changes.applied(to: settings).off ?? []
    recorder.withLock { recorder in
      // This concerns buffered events even if another user has been set since.
      recorder.resolveBuffered(unknown: files.unknownEpoch, user: settings.user, settings.epoch)
      if changes.user == nil { (recorder.user, recorder.epoch) = (settings.user, settings.epoch) }
      recorder.off = off
      if off.contains(.usage) { recorder.sessions.end() }
    }
    for part in off { erase(part.erasure) }
    if let bytes = settings.queueBytes, changes.queueBytes == nil { log.setMaximumBytes(bytes) }
    clientState.withLock { state in
      state.pauses.remove(.unknownSettings)
      if settings.allowsRequests == false, changes.allowsRequests == nil { state.pauses.insert(.notAllowed) }
    }
    files.followedOptOuts = settings.optOuts ?? 0
  }

  /// Sets the user and saves it before returning; otherwise, after a crash, events would be attributed to the previous
  /// user.
  func setUser(_ user: String?) {
    changeIdentity(user.flatMap { $0.isEmpty ? nil : $0.truncated(toBytes: NativeProtocol.maximumNameBytes) })
  }

  /// Ends the current identity; the next one gets its own session.
  func reset() {
    changeIdentity(nil, evenIfSame: true)
    beginSession { $0.current != nil }
  }

  private func changeIdentity(_ user: String?, evenIfSame: Bool = false) {
    files.withLock { files in
      // Apps often set the same user again: only a change is worth accessing the disk.
      let isNew = recorder.withLock { !$0.isClosed && (evenIfSame || files.areSettingsUnknown || $0.user != user) }
      guard isNew else { return }
      // Numbers are unique across processes, so that an erasure can tell their events apart.
      let (earlierUser, earlierEpoch) = recorder.withLock { ($0.user, $0.epoch) }
      let epoch = files.save(user: user, after: earlierEpoch)
      recorder.withLock { ($0.user, $0.epoch) = (user, epoch) }
      // Those before the first name belong to the user who signs in.
      if evenIfSame || earlierUser != nil && earlierUser != user { forgetSteps() }
      refreshCrashContext()
      // The loop retries.
      if files.hasUnsaved { mailbox.post(.refresh) }
    }
  }

  /// Erases the undelivered events of the current identity.
  func erase() {
    files.withLock { _ in
      let (epoch, isClosed) = recorder.withLock { ($0.epoch, $0.isClosed) }
      if !isClosed {
        erase(.identity(epoch))
        forgetSteps()
      }
    }
    mailbox.post(.input(.erased))
  }

  /// Saves changes that the disk refused before.
  func saveSettings() {
    files.withLock { _ = $0.save() }
  }
}

extension Recorder {
  /// Enables or disables recording; returns true if this is a change.
  fileprivate mutating func setEnabled(_ isEnabled: Bool) -> Bool {
    guard !isClosed, self.isEnabled != isEnabled else { return false }
    self.isEnabled = isEnabled
    if !isEnabled { sessions.end() }
    return true
  }
}
