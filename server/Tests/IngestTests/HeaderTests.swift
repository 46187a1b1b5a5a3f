import TernBase
import TernEvents
import Testing

@testable import Ingest

/// Tests headers of Tern's own protocol, which any client may send.
@Suite struct HeaderTests {
  @Test func `a stamp requires only its time, and is read entirely or not at all`() {
    let time = Timestamp(millisecondsSince1970: 1_740_924_309_120)
    for (header, expected) in [
      ("time=1740924309120; uptime=5; boot=b", SentStamp(time: time, uptime: 5, boot: "b")),
      ("boot=b;time=1740924309120", SentStamp(time: time, boot: "b")),
      ("time=1740924309120; uptime=0", SentStamp(time: time, uptime: 0)),
      ("time=1740924309120; zone=+1", SentStamp(time: time)),
      ("time=-9007199254740992", SentStamp(time: Timestamp(millisecondsSince1970: -(1 << 53)))),
      ("time=1740924309120; boot=" + String(repeating: "b", count: 65), nil),
      ("time=1740924309120; uptime=-1", nil), ("time=1740924309120; uptime=", nil), ("time=1740924309120; boot=", nil),
      ("time=9007199254740993", nil), ("time=9223372036854775808", nil), ("time=1.5", nil), ("time", nil),
      ("1740924309120", nil), ("", nil),
      ("uptime=5; boot=b", nil), ("time=1740924309120; time=1740924309120", nil),
    ] {
      #expect(SentStamp(header: header) == expected, "\(header)")
    }
  }

  @Test func `a ledger is stored as it will be after the device has the response`() {
    let ledger = DeviceLedger(tracked: 20, delivered: 4, waiting: 6, inFlight: 9, dropped: 1)
    #expect(
      ledger.answered(stored: 5, rejected: 2)
        == DeviceLedger(tracked: 20, delivered: 9, waiting: 6, inFlight: 2, dropped: 3))
    for (stored, refused) in [(0, 0), (9, 0), (100, 100), (3, 100), (-1, -1), (.max, .max)] {
      let after = ledger.answered(stored: stored, rejected: refused)
      #expect(after.delivered + after.waiting + after.inFlight + after.dropped == ledger.tracked)
      #expect(after.inFlight >= 0 && after.progress >= ledger.progress)
    }
  }

  @Test func `rejected events count as dropped, and the ledger balances`() {
    let ledger = DeviceLedger(tracked: 20, delivered: 4, waiting: 6, inFlight: 9, dropped: 1)
    #expect(ledger.rejecting(3) == DeviceLedger(tracked: 20, delivered: 1, waiting: 6, inFlight: 9, dropped: 4))
    for count in [0, 4, 5, .max, -1, .min] {
      let after = ledger.rejecting(count)
      #expect(after.delivered + after.waiting + after.inFlight + after.dropped == ledger.tracked)
      #expect(after.delivered >= 0 && after.progress == ledger.progress)
    }
  }

  @Test func `a ledger is read in any order of its fields`() {
    let expected = DeviceLedger(tracked: 10, delivered: 4, waiting: 3, inFlight: 2, dropped: 1)
    for header in [
      "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1",
      "dropped=1;in-flight=2;waiting=3;delivered=4;tracked=10",
      " tracked = 10 ;\tdelivered=4; waiting=3; in-flight=2; dropped=1; later=x=y",
    ] {
      #expect(DeviceLedger(header: header) == expected, "\(header)")
    }
    #expect(expected.progress == 15)
    let largest = "9007199254740992"
    let all = "tracked=\(largest); delivered=\(largest); waiting=\(largest); in-flight=\(largest); dropped=\(largest)"
    #expect(DeviceLedger(header: all)?.progress == SaturatingInt64(3 * DeviceLedger.maximum))
  }

  @Test(arguments: [
    "", ";", "tracked=10", "tracked=10; delivered=4; waiting=3; in-flight=2",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=-1",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=+1",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1.0",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1;",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1; dropped=1",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=9007199254740993",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=99999999999999999999999",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=١",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1; x",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1; =1",
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1; a=" + String(repeating: "x", count: 500),
    "tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1"
      + (0..<20).map { "; a\($0)=1" }.joined(),
  ]) func `a malformed ledger is ignored`(header: String) {
    #expect(DeviceLedger(header: header) == nil)
  }
}
