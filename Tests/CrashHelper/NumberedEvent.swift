import TernEvents
import TernLog

/// An event derived entirely from its number, so that a test can check that it is unchanged.
struct NumberedEvent: Hashable {
  let number: UInt32

  /// The `index`-th event that thread `thread` of process `process` appends.
  init(process: Int, thread: Int, index: Int) {
    number = UInt32(truncatingIfNeeded: process << 24 | thread << 20 | index & 0xF_FFFF)
  }

  init(number: UInt32) { self.number = number }

  /// Events of one source and lane are handed out in the order of their numbers.
  var source: UInt32 { (number >> 20) << 1 | UInt32(lane.rawValue) }
  var index: Int { Int(number & 0xF_FFFF) }
  var id: UniqueID { UniqueID(high: 0x5445_524E, low: UInt64(number)) }
  var lane: Lane { mixed % 5 == 0 ? .critical : .normal }
  /// The identity, shared by 64 successive events of a thread.
  var identity: UInt32 { number >> 6 }

  var payload: [UInt8] {
    let count = Int((mixed >> 8) % 300) + 4
    return (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * ($0 % 4))) }
  }

  private var mixed: UInt64 {
    var generator = FastGenerator(seed: UInt64(number))
    return generator.next() >> 8
  }
}
