import ServerBase
import TernEvents
import Testing

@testable import Columns

struct PackedRowsTests {
  private struct Entry: Equatable {
    var owner: UInt32
    var time: Int64
    var inMillisecond: UInt16
    var bits: UInt32
    var value: UInt32
  }

  @Test(arguments: [1, 4, 17, 32] as [UInt32])
  func `packed rows are read as they were written, however far apart they are`(width: UInt32) {
    var random = FastGenerator(seed: UInt64(width))
    let times = [TimeBounds.earliest, TimeBounds.latest, 0, 1, 1_790_000_000_000, 1_790_000_000_001]
    let owners = [0, 1, 127, 128, .max] as [UInt32]
    let values = [0, 1, 63, 64, .max] as [UInt32]
    var packed = PackedRows()
    let entries = (0..<20_000).map { _ in
      Entry(
        owner: owners.randomElement(using: &random) ?? 0, time: times.randomElement(using: &random) ?? 0,
        inMillisecond: [0, 1, 1_000].randomElement(using: &random) ?? 0,
        bits: UInt32.random(in: 0...(.max >> (32 - width)), using: &random),
        value: values.randomElement(using: &random) ?? 0)
    }
    for entry in entries {
      let moment = Moment(time: entry.time, inMillisecond: entry.inMillisecond)
      packed.append(PersonRow(moment: moment, bits: entry.bits, value: entry.value), of: entry.owner, width: width)
    }
    var found: [Entry] = []
    packed.forEach(width: width) { owner, row in
      found.append(
        Entry(
          owner: owner, time: row.moment.time, inMillisecond: row.moment.inMillisecond, bits: row.bits, value: row.value
        ))
    }
    #expect(found == entries)
    packed.removeAll()
    #expect(packed.count == 0 && packed.byteCount == 0)
  }

  @Test func `rows of a person that follow each other take three bytes each`() {
    var packed = PackedRows()
    for row in 0..<100_000 {
      let moment = Moment(time: 1_790_000_000_000 + Int64(row) * 1_000, inMillisecond: 0)
      packed.append(PersonRow(moment: moment, bits: 1, value: 3), of: 7, width: 1)
    }
    #expect(packed.byteCount < 320_000)
  }
}
