import ServerBase
import TernBase
import TernEvents
import WarehouseSQLite

/// Decides when each file is read and checked for damage: once in a period, spread evenly over it.
///
/// A file's turn follows from its name, so one time is all that must be known: up to which all files that were due have been checked. A
/// server that was stopped goes on from there.
struct ScrubSchedule {
  /// A file and the time at which it was due.
  struct Due: Equatable {
    var file: ScrubbedFile
    var time: Timestamp
  }

  /// The time in which each file is checked once.
  let period: Duration
  /// The time up to which all files that were due have been checked.
  private(set) var position: Timestamp

  /// - Parameter position: `nil` if nothing was ever checked: then all files are due.
  init(period: Duration, position: Timestamp?, now: Timestamp) {
    self.period = max(period, .milliseconds(1))
    self.position = min(position ?? now - period, now)
  }

  /// Returns the files that are due, in the order of their turns.
  mutating func due(_ files: [ScrubbedFile], now: Timestamp) -> [Due] {
    // The clock was set back.
    position = min(position, now)
    // A file that was due in several earlier periods is due once.
    let start = max(position, now - period)
    let length = period.wholeMilliseconds
    let first = start.millisecondsSince1970
    return files.compactMap { file -> Due? in
      let turn = Int64(Self.hash(file.identity) % UInt64(length))
      // The first time after the start that is a whole number of periods after the file's turn.
      let wait = ((turn - first) % length + length) % length
      let time = Timestamp(millisecondsSince1970: first + (wait == 0 ? length : wait))
      return time <= now ? Due(file: file, time: time) : nil
    }
    .sorted { ($0.time, $0.file.identity) < ($1.time, $1.file.identity) }
  }

  /// Records that all files that were due up to a time have been checked.
  mutating func didCheck(through time: Timestamp) { position = max(position, time) }

  /// Must be the same in every process.
  private static func hash(_ text: String) -> UInt64 { text.utf8.reduce(0) { mixed($0, UInt64($1)) } }
}

/// Decides when a check or a mending that has failed is tried again, for example because the cluster was away: after minutes at
/// first, and then after hours.
struct ScrubRetries {
  static let (shortest, longest): (Duration, Duration) = (.seconds(300), .seconds(6 * 3_600))

  private struct Failure {
    var path: String
    var count: Int
    var next: Timestamp
  }

  private var failures: [String: Failure] = [:]

  /// The paths of the files that have failed, by identity.
  var paths: [String: String] { failures.mapValues(\.path) }

  mutating func record(_ file: ScrubbedFile, hasFailed: Bool, now: Timestamp) {
    guard hasFailed else { return failures[file.identity] = nil }
    let count = (failures[file.identity]?.count ?? 0) + 1
    let wait = min(Self.shortest * (1 << min(count - 1, 10)), Self.longest)
    failures[file.identity] = Failure(path: file.path, count: count, next: now + wait)
  }

  /// Returns the identities of the files to try again.
  func due(_ now: Timestamp) -> Set<String> {
    // If the clock was set back, too.
    Set(failures.filter { $0.value.next <= now || $0.value.next.since(now) > Self.longest }.keys)
  }

  /// Forgets files that are gone.
  mutating func keep(_ files: [ScrubbedFile]) {
    let identities = Set(files.map(\.identity))
    failures = failures.filter { identities.contains($0.key) }
  }
}

/// Decides how long a scrub pauses after a part of a file, so that it takes a tenth of the disk's time at most, and little of its
/// speed.
enum ScrubPace {
  private static let bytesPerSecond = 16 << 20
  /// A disk may be busy, or be a network.
  private static let longest: Duration = .seconds(10)

  static func pause(after bytes: Int, taking time: Duration) -> Duration {
    min(max(time * 9, .seconds(Double(bytes) / Double(bytesPerSecond))), longest)
  }
}
