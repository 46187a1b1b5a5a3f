import Foundation
import Ingest
import TernEvents

/// Tries what a parser accepts: counts each input as days of views at once, and all inputs together in a warehouse after
/// a thousand of them.
final class BatchTrial {
  /// The times at which everything is received, on two days.
  static let moments = [
    Timestamp(millisecondsSince1970: 1_770_033_600_000), Timestamp(millisecondsSince1970: 1_770_120_000_000),
  ]
  /// The number of inputs that share a warehouse, which takes about as long as counting each of them.
  private static let inputsAtOnce = 1_000

  private let parse: (UnsafeRawBufferPointer, Timestamp) -> [IncomingBatch]
  private var inputs: [[UInt8]] = []
  /// True to give each input a warehouse of its own, so that it is known which of them fails.
  private let isSingle = ProcessInfo.processInfo.environment["TERN_FUZZ_SINGLE"] != nil
  /// The directory where the inputs of the current warehouse are written; kept if it ends the process.
  private let record = ProcessInfo.processInfo.environment["TERN_FUZZ_RECORD"]

  /// Creates a trial of a parser, which gets an input and the time of its receipt.
  init(_ parse: @escaping (UnsafeRawBufferPointer, Timestamp) -> [IncomingBatch]) { self.parse = parse }

  func add(_ input: UnsafeRawBufferPointer) {
    let batches = parse(input, Self.moments[0])
    DayTrial.count(batches)
    guard batches.contains(where: { !$0.events.isEmpty || !$0.rejections.isEmpty || $0.ledger != nil }) else { return }
    inputs.append(Array(input))
    guard isSingle || inputs.count == Self.inputsAtOnce else { return }
    recordInputs()
    let days = Self.moments.map { moment in
      inputs.flatMap { input in input.withUnsafeBytes { parse($0, moment) } }
    }
    WarehouseTrial.run(days)
    if let record { try? FileManager.default.removeItem(atPath: record) }
    inputs = []
  }

  private func recordInputs() {
    guard let record, !isSingle else { return }
    try? FileManager.default.createDirectory(atPath: record, withIntermediateDirectories: true)
    for (index, input) in inputs.enumerated() {
      _ = FileManager.default.createFile(atPath: "\(record)/\(index)", contents: Data(input))
    }
  }
}
