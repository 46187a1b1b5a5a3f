import AppCenter
import Tern
import TernBase
import TernEvents

extension AppCenterCore {
  /// Records a handled error according to App Center's rules; returns `nil` if there is no client.
  func record(
    _ exception: ExceptionModel, _ properties: [String: String], _ attachments: [ErrorAttachmentLog]
  ) -> Receipt? {
    var messages: [LogMessage] = []
    defer { logger.write(messages) }
    guard let client = state.withLock({ $0.client(of: Crashes.traits, &messages) }) else { return nil }
    var (facts, properties) = (exception.facts, properties)
    facts.fingerprint = properties.removeValue(forKey: Crashes.fingerprintProperty)
    let kept = EventRules.properties(properties, &messages, tag: .crashes)
    let receipt = client.record(facts, kept, attachments: usable(attachments, &messages))
    messages += LogMessage.refusal(receipt, "The error", .crashes)
    return receipt
  }

  private func usable(_ attachments: [ErrorAttachmentLog], _ messages: inout [LogMessage]) -> [TernClient.Attachment] {
    let files = attachments.compactMap(\.file)
    if files.count < attachments.count {
      messages.add(.warning, .crashes, "An attachment without data is left out.")
    }
    for file in files where file.data.count > AttachmentPiece.maximumAttachmentBytes {
      messages.add(.error, .crashes, "An attachment of \(file.data.count) bytes is larger than 7 MiB and is left out.")
    }
    return files.filter { $0.data.count <= AttachmentPiece.maximumAttachmentBytes }
  }

  /// Reads the reports of earlier processes, begins to catch crashes, and asks for consent, on the main thread and
  /// without waiting.
  func findCrashes() {
    let found = environment.crashes.reports()
    let hadMemoryWarning = environment.crashes.takeMemoryWarning()
    state.withLock { state in
      state.crashes.last = found.last { $0.isOfLastLaunch }
      state.crashes.hadMemoryWarning = hadMemoryWarning
    }
    guard let client = state.withLock({ $0.client }) else { return }
    environment.crashes.start(client) { [weak self, weak client] report in
      guard let self, let client else { return }
      if report.isOfLastLaunch { state.withLock { $0.crashes.last = report } }
      handle([report], client)
    }
    if !found.isEmpty { handle(found, client) }
  }

  private func handle(_ found: [CrashReport], _ client: TernClient) {
    // The service is off, so they will never be sent.
    guard client.isEnabled, client.isRecording(.errors) else { return environment.crashes.remove(found.map(\.id)) }
    afterStart { [self] in environment.mainCallback { self.ask(about: found) } }
  }

  private func ask(about found: [CrashReport]) {
    let delegate = Crashes.delegate
    let service = Crashes()
    let wanted = found.filter { delegate?.crashes(service, shouldProcess: ErrorReport($0)) ?? true }
    environment.crashes.remove(Set(found).subtracting(wanted).map(\.id))
    guard !wanted.isEmpty else { return }
    state.withLock { $0.crashes.undecided += wanted }
    if !store.sendsCrashes, let confirmation = Crashes.userConfirmationHandler,
      confirmation(wanted.map(ErrorReport.init))
    {
      return
    }
    // Others may still wait for their answer.
    settleCrashes(nil, only: Set(wanted.map(\.id)))
  }

  /// Sends or removes the reports that wait for an answer; `nil` means that none was needed.
  ///
  /// If the process ends before the answer, the next launch asks again.
  ///
  /// - Parameter ids: The reports; `nil` for all.
  func settleCrashes(_ answer: UserConfirmation?, only ids: Set<UniqueID>? = nil) {
    let (reports, client) = decide { state, messages -> ([CrashReport], TernClient?) in
      guard let client = state.client(of: Crashes.traits, &messages) else { return ([], nil) }
      let reports = state.crashes.undecided.filter { ids?.contains($0.id) ?? true }
      state.crashes.undecided.removeAll { ids?.contains($0.id) ?? true }
      return (reports, client)
    }
    guard let client else { return }
    switch answer {
    case .always: store.sendsCrashes = true
    case .dontSend:
      // The user's last answer wins.
      if store.sendsCrashes { store.sendsCrashes = false }
      return environment.crashes.remove(reports.map(\.id))
    case .send, nil: break
    }
    for report in reports { send(report, by: client) }
  }

  private func send(_ report: CrashReport, by client: TernClient) {
    let service = Crashes()
    let shown = ErrorReport(report)
    let attachments = Crashes.delegate?.attachments(with: service, for: shown) ?? []
    Crashes.delegate?.crashes(service, willSend: shown)
    let files = decide { _, messages in usable(attachments, &messages) }
    let receipt = client.recordCrash(report.exception, of: report.origin, attachments: files)
    logger.write(LogMessage.refusal(receipt, "The report of a crash", .crashes))
    // A report that isn't stored is recorded again at the next launch; its identifier keeps it from counting twice.
    if receipt.isOnDisk { environment.crashes.remove([report.id]) }
    Task {
      let shown = ErrorReport(report)
      do {
        try await receipt.delivered()
        environment.crashes.remove([report.id])
        Crashes.delegate?.crashes(Crashes(), didSucceedSending: shown)
      } catch {
        Crashes.delegate.map { failed($0, shown, error) }
      }
    }
  }

  /// Calls both variants of the method; each app implements one.
  private func failed(_ delegate: any CrashesDelegate, _ report: ErrorReport, _ error: any Error) {
    let optional: (any Error)? = error
    delegate.crashes(Crashes(), didFailSending: report, withError: error)
    delegate.crashes(Crashes(), didFailSending: report, withError: optional)
  }
}
