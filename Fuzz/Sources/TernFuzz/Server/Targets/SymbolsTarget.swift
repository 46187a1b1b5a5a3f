import Ingest
import Symbols

extension FuzzTarget {
  /// Files that someone uploads as symbols, and stored errors that are decoded for them.
  static var symbols: FuzzTarget {
    FuzzTarget { input in
      for file in (try? ObjectFile.read(ObjectSource(Array(input)))) ?? [] {
        precondition(file.range.lowerBound >= 0 && file.range.upperBound <= input.count)
        precondition(BuildIdentifier.normalized(file.buildID) == file.buildID)
        let addresses: [UInt64] = [0, 0x1000, 0x1_0000_1000, .max]
        let starts = try? file.functions?.lastStarts(in: ObjectSource(Array(input)), before: addresses)
        precondition((starts ?? [:]).allSatisfy { $0.value <= $0.key })
      }
      let archive = try? ZipArchive(ObjectSource(Array(input)))
      precondition((archive?.entries ?? []).allSatisfy { $0.bytes > 0 && $0.packedBytes > 0 })
      let stack = ErrorStack(raw: String(decoding: input, as: UTF8.self))
      precondition(stack.threads.reduce(0) { $0 + $1.frames.count } <= 4_096 && stack.images.count <= 512)
      for frame in stack.threads.flatMap(\.frames) where !frame.buildID.isEmpty {
        precondition(BuildIdentifier.normalized(frame.buildID) == frame.buildID)
      }
      _ = stack.lines
    }
  }
}
