import Tern
import TernEvents

/// The receipts of one process: which were kept, which were asked about, and what was said.
struct ReceiptOracle {
  struct Answer: Sendable {
    let id: UniqueID
    let error: ReceiptError?
  }

  /// Kept by the app, to be asked about later or never.
  private(set) var kept: [Receipt] = []
  /// How many were asked about and not answered.
  private(set) var asked: Set<UniqueID> = []
  private let answers = Locked<[Answer]>([])
  /// An app keeps no more.
  private static let most = 40

  mutating func keep(_ receipt: Receipt) {
    kept.append(receipt)
    if kept.count > Self.most { kept.removeFirst() }
  }

  /// Asks about one of those that are kept; a receipt can be asked more than once.
  mutating func ask(_ place: Int) {
    let receipt = kept[place]
    guard let id = receipt.id, asked.insert(id).inserted else { return }
    let answers = answers
    receipt.onOutcome { error in answers.withLock { $0.append(Answer(id: id, error: error)) } }
  }

  /// What was said since this was called last.
  mutating func takeAnswers() -> [Answer] {
    let news = answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
    for answer in news { asked.remove(answer.id) }
    return news
  }
}

extension SimulatedDevice {
  /// Keeps some receipts, and asks about some of those that are kept: at once, later, when their events are long gone, or
  /// never.
  func mindReceipt(_ receipt: Receipt, of process: SimulatedProcess) {
    guard traits.asksForReceipts, receipt.id != nil else { return }
    // Chance of its own, so that a device lives the same life whether it asks or not.
    if asking.chance(0.1) { process.receipts.keep(receipt) }
    guard !process.receipts.kept.isEmpty, asking.chance(0.05) else { return }
    process.receipts.ask(asking.number(0...process.receipts.kept.count - 1))
  }

  /// What a receipt says must be true.
  func checkReceipts(_ process: SimulatedProcess, hasEnded: Bool = false) {
    for answer in process.receipts.takeAnswers() {
      // What a dying process says reaches nobody.
      if process.files.isDead { continue }
      report.figures.receipts += 1
      let entry = expected.place(of: answer.id).map { expected[$0] }
      switch answer.error {
      case nil:
        if entry?.isCommitted != true {
          fail("receipts", "\(answer.id) has arrived says its receipt; the collector does not have it")
        }
      case let error? where error.code == .dropped:
        if let entry, entry.isAcknowledged, !entry.isErased {
          fail("receipts", "\(answer.id) was dropped says its receipt; the client was told of its delivery")
        }
        if let entry, !entry.isErased, entry.isRejected != (error.reason == .rejected) {
          fail("receipts", "\(answer.id) was dropped as \(error.reason?.description ?? "nobody knows what")")
        }
      case let error? where error.code == .stopped:
        if !hasEnded { fail("receipts", "\(answer.id) is not known says its receipt, since the client has ended") }
      case _?:
        if totals.isEmpty, drops.forgotten.isEmpty {
          fail("receipts", "nobody knows of \(answer.id) says its receipt, and nothing was ever dropped")
        }
      }
    }
  }

  /// What was asked is answered: nothing waits and nothing is under way.
  func checkReceiptsAreAnswered(_ process: SimulatedProcess) {
    checkReceipts(process)
    if let id = process.receipts.asked.first {
      fail("receipts", "\(process.receipts.asked.count) receipts are not answered, that of \(id) among them")
    }
  }
}
