import AppCenter
import Tern
import TernEvents

extension AppCenterCore {
  /// Records a handled error by App Center's rules; `nil` when it is not recorded.
  func record(
    _ exception: ExceptionModel, _ properties: [String: String], _ attachments: [ErrorAttachmentLog]
  ) -> Receipt? {
    var notes: [Note] = []
    defer { logBook.write(notes) }
    guard let client = state.withLock({ $0.client(of: Crashes.traits, &notes) }) else { return nil }
    let kept = EventRules.properties(properties, &notes, tag: .crashes)
    let receipt = client.record(exception.facts, kept, attachments: usable(attachments, &notes))
    notes += Note.refusal(receipt, "The error", .crashes)
    return receipt
  }

  private func usable(_ attachments: [ErrorAttachmentLog], _ notes: inout [Note]) -> [TernClient.Attachment] {
    let files = attachments.compactMap(\.file)
    if files.count < attachments.count {
      notes.append(Note(.warning, .crashes, "An attachment without data is left out."))
    }
    for file in files where file.data.count > AttachmentPiece.maximumAttachmentBytes {
      notes.append(
        Note(.error, .crashes, "An attachment of \(file.data.count) bytes is larger than 7 MiB and is left out."))
    }
    return files.filter { $0.data.count <= AttachmentPiece.maximumAttachmentBytes }
  }

  /// Takes in what earlier processes left; who has to be asked is asked later, when the start is over.
  func crashesStarted() {
    let found = world.crashes.reports()
    state.withLock { $0.crashes.last = found.last { $0.isOfLastLaunch } }
    guard !found.isEmpty, let client = state.withLock({ $0.client }) else { return }
    // Of no use later: the service was off when they could have been sent.
    guard client.isEnabled, client.isRecording(.errors) else { return world.crashes.remove(found.map(\.id)) }
    afterStart { [self] in world.mainCallback { self.ask(about: found) } }
  }

  private func ask(about found: [CrashReport]) {
    let delegate = Crashes.delegate
    let service = Crashes()
    let wanted = found.filter { delegate?.crashes(service, shouldProcess: ErrorReport($0)) ?? true }
    world.crashes.remove(Set(found).subtracting(wanted).map(\.id))
    guard !wanted.isEmpty else { return }
    state.withLock { $0.crashes.undecided = wanted }
    if !store.sendsCrashes, let confirmation = Crashes.userConfirmationHandler,
      confirmation(wanted.map(ErrorReport.init))
    {
      return
    }
    settleCrashes(nil)
  }

  /// Sends the reports that wait for an answer, or forgets them; `nil`: nobody had to be asked.
  ///
  /// A process that ends before the answer leaves them to the next one, which asks again.
  func settleCrashes(_ answer: UserConfirmation?) {
    let (reports, client) = decide { state, notes -> ([CrashReport], TernClient?) in
      guard let client = state.client(of: Crashes.traits, &notes) else { return ([], nil) }
      defer { state.crashes.undecided = [] }
      return (state.crashes.undecided, client)
    }
    guard let client else { return }
    switch answer {
    case .always: store.sendsCrashes = true
    case .dontSend:
      // What the user says last counts.
      if store.sendsCrashes { store.sendsCrashes = false }
      return world.crashes.remove(reports.map(\.id))
    case .send, nil: break
    }
    for report in reports { send(report, by: client) }
  }

  private func send(_ report: CrashReport, by client: TernClient) {
    let service = Crashes()
    let shown = ErrorReport(report)
    let attachments = Crashes.delegate?.attachments(with: service, for: shown) ?? []
    Crashes.delegate?.crashes(service, willSend: shown)
    let files = decide { _, notes in usable(attachments, &notes) }
    let receipt = client.recordCrash(report.exception, of: report.origin, attachments: files)
    logBook.write(Note.refusal(receipt, "The report of a crash", .crashes))
    // What the storage refused, or does not take yet, is tried again at the next launch, and counts once all the same.
    if receipt.isOnDisk { world.crashes.remove([report.id]) }
    Task {
      let shown = ErrorReport(report)
      do {
        try await receipt.delivered()
        world.crashes.remove([report.id])
        Crashes.delegate?.crashes(Crashes(), didSucceedSending: shown)
      } catch {
        Crashes.delegate.map { failed($0, shown, error) }
      }
    }
  }

  /// Each app has one of the two.
  private func failed(_ delegate: any CrashesDelegate, _ report: ErrorReport, _ error: any Error) {
    let optional: (any Error)? = error
    delegate.crashes(Crashes(), didFailSending: report, withError: error)
    delegate.crashes(Crashes(), didFailSending: report, withError: optional)
  }
}
