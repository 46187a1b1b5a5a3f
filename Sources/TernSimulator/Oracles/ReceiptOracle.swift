import Tern
import TernBase
import TernEvents

/// The receipts of one process: those kept, those queried, and their answers.
struct ReceiptOracle {
  struct Answer: Sendable {
    let id: UniqueID
    let error: ReceiptError?
  }

  /// The kept receipts, to be queried later or never.
  private(set) var kept: [Receipt] = []
  /// The queried events without an answer so far.
  private(set) var asked: Set<UniqueID> = []
  private let answers = Locked<[Answer]>([])
  /// The maximum number of receipts that the app keeps.
  private static let most = 40

  mutating func keep(_ receipt: Receipt) {
    kept.append(receipt)
    if kept.count > Self.most { kept.removeFirst() }
  }

  /// Queries one of the kept receipts; a receipt can be queried repeatedly.
  mutating func ask(_ place: Int) {
    let receipt = kept[place]
    guard let id = receipt.id, asked.insert(id).inserted else { return }
    let answers = answers
    receipt.onOutcome { error in answers.withLock { $0.append(Answer(id: id, error: error)) } }
  }

  /// Returns the answers since the last call.
  mutating func takeAnswers() -> [Answer] {
    let newItems = answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
    for answer in newItems { asked.remove(answer.id) }
    return newItems
  }
}

extension SimulatedDevice {
  /// Keeps some receipts and queries some kept ones: at once, later, long after their events are gone, or never.
  func handleReceipt(_ receipt: Receipt, of process: SimulatedProcess) {
    guard traits.asksForReceipts, receipt.id != nil else { return }
    // A separate generator, so that queries do not change the rest of the device's life.
    if receiptChoice.chance(0.1) { process.receipts.keep(receipt) }
    guard !process.receipts.kept.isEmpty, receiptChoice.chance(0.05) else { return }
    process.receipts.ask(receiptChoice.number(0...process.receipts.kept.count - 1))
  }

  /// Checks the answers of receipts.
  func checkReceipts(_ process: SimulatedProcess, hasEnded: Bool = false) {
    for answer in process.receipts.takeAnswers() {
      // The answers of a dead process do not count.
      if process.files.isDead { continue }
      report.statistics.receipts += 1
      let entry = expected.place(of: answer.id).map { expected[$0] }
      switch answer.error {
      case nil:
        if entry?.isCommitted != true {
          fail("receipts", "the receipt of \(answer.id) reports delivery; the collector does not have it")
        }
      case let error? where error.code == .dropped:
        if let entry, entry.isAcknowledged, !entry.isErased {
          fail("receipts", "the receipt of \(answer.id) reports a drop; its delivery was acknowledged")
        }
        if let entry, !entry.isErased, entry.isRejected != (error.reason == .rejected) {
          fail("receipts", "\(answer.id) was dropped as \(error.reason?.description ?? "unknown")")
        }
      case let error? where error.code == .stopped:
        if !hasEnded { fail("receipts", "the receipt of \(answer.id) reports that the client has stopped") }
      case _?:
        if totals.isEmpty, drops.forgotten.isEmpty {
          fail("receipts", "the receipt of \(answer.id) reports an unknown state, though nothing was ever dropped")
        }
      }
    }
  }

  /// Checks that every query is answered once nothing is waiting or in flight.
  func checkReceiptsAreAnswered(_ process: SimulatedProcess) {
    checkReceipts(process)
    if let id = process.receipts.asked.first {
      fail("receipts", "\(process.receipts.asked.count) receipts are unanswered, including that of \(id)")
    }
  }
}
