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
    return client.record(exception.facts, kept, attachments: usable(attachments, &notes))
  }

  private func usable(_ attachments: [ErrorAttachmentLog], _ notes: inout [Note]) -> [TernClient.Attachment] {
    let files = attachments.map(\.file)
    for file in files where file.data.count > AttachmentPiece.maximumAttachmentBytes {
      notes.append(
        Note(.error, .crashes, "An attachment of \(file.data.count) bytes is larger than 7 MiB and is left out."))
    }
    return files.filter { $0.data.count <= AttachmentPiece.maximumAttachmentBytes }
  }

  /// Takes in what earlier processes left, and asks who has to be asked.
  func crashesStarted() {
    let found = world.crashes.takeReports()
    state.withLock { $0.crashes.reports = found }
    // Reports are taken all the same when the service is off: they are not to be sent later.
    guard !found.isEmpty, isEnabled(Crashes.traits) else { return }
    let delegate = Crashes.delegate
    let service = Crashes()
    let wanted = found.filter { delegate?.crashes(service, shouldProcess: ErrorReport($0)) ?? true }
    guard !wanted.isEmpty else { return }
    state.withLock { $0.crashes.undecided = wanted }
    if let confirmation = Crashes.userConfirmationHandler, confirmation(wanted.map(ErrorReport.init)) { return }
    settleCrashes(.send)
  }

  /// Sends the reports that wait for an answer, or forgets them.
  func settleCrashes(_ answer: UserConfirmation) {
    let (reports, client) = decide { state, notes -> ([CrashReport], TernClient?) in
      defer { state.crashes.undecided = [] }
      return (state.crashes.undecided, state.client(of: Crashes.traits, &notes))
    }
    guard answer != .dontSend, let client else { return }
    for report in reports { send(report, by: client) }
  }

  private func send(_ report: CrashReport, by client: TernClient) {
    let service = Crashes()
    let shown = ErrorReport(report)
    let attachments = Crashes.delegate?.attachments(with: service, for: shown) ?? []
    Crashes.delegate?.crashes(service, willSend: shown)
    let files = decide { _, notes in usable(attachments, &notes) }
    let receipt = client.recordCrash(report.exception, attachments: files)
    Task {
      let service = Crashes()
      let shown = ErrorReport(report)
      do {
        try await receipt.delivered()
        Crashes.delegate?.crashes(service, didSucceedSending: shown)
      } catch {
        Crashes.delegate?.crashes(service, didFailSending: shown, withError: error)
      }
    }
  }
}
