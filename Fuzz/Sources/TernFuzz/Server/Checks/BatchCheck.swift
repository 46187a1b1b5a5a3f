import Ingest
import TernEvents

/// Tries what a parser accepts: counts each input as days of views at once, and stores a thousand of them in a warehouse
/// that they share.
final class BatchCheck {
  /// The number of inputs that share a warehouse, which takes about as long as counting each of them.
  private static let inputsAtOnce = 1_000

  private let parse: (UnsafeRawBufferPointer, Timestamp) -> [IncomingBatch]
  private var inputs: [[UInt8]] = []
  private var record = SharedInputs()

  /// Creates a check of a parser, which gets an input and the time of its receipt.
  init(_ parse: @escaping (UnsafeRawBufferPointer, Timestamp) -> [IncomingBatch]) { self.parse = parse }

  func add(_ input: UnsafeRawBufferPointer) {
    let batches = parse(input, FuzzTarget.moments[0])
    DayCheck.count(batches)
    guard batches.contains(where: { !$0.events.isEmpty || !$0.rejections.isEmpty || $0.ledger != nil }) else { return }
    inputs.append(Array(input))
    if record.isSingle || inputs.count == Self.inputsAtOnce { finish() }
  }

  /// Stores the inputs that are left in a warehouse.
  func finish() {
    guard !inputs.isEmpty else { return }
    for input in inputs { record.add(input) }
    let days = FuzzTarget.moments.map { moment in
      inputs.flatMap { input in input.withUnsafeBytes { parse($0, moment) } }
    }
    WarehouseCheck.run(days)
    record.clear()
    inputs = []
  }
}
