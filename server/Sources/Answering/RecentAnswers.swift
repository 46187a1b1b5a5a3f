import HTTP
import Questions
import Reports
import TernBase
import Warehouse

/// The latest answers, which are shown again for a while: a dashboard that many keep open costs as much as one that is open once.
final class RecentAnswers: Sendable {
  /// The age at which a question is asked again.
  static let maximumAge = Duration.seconds(60)
  /// The most memory that answers may take, in bytes; the oldest is dropped first.
  static let maximumBytes = 32 << 20
  /// The size of an answer above which it isn't kept, in bytes.
  static let maximumAnswerBytes = maximumBytes / 4

  /// A question of an app, with the days of its range as dates.
  struct Key: Hashable {
    var app: AppID
    var question: Question
  }

  private struct Entry {
    var answer: AnsweredQuestion
    var time: Duration
    var bytes: Int
  }

  private let entries = Locked<[Key: Entry]>([:])

  /// The number of answers kept.
  var count: Int { entries.withLock(\.count) }
  /// Their approximate size, in bytes.
  var bytes: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.bytes } } }

  /// Returns an answer that is not too old.
  func answer(_ key: Key, now: Duration) -> AnsweredQuestion? {
    entries.withLock { entries in
      entries[key].flatMap { now - $0.time < Self.maximumAge ? $0.answer : nil }
    }
  }

  /// Keeps an answer, unless it is large: a list of every value is shared rarely, and takes the place of many others.
  func keep(_ answer: AnsweredQuestion, _ key: Key, now: Duration) {
    let bytes = answer.approximateBytes
    guard bytes <= Self.maximumAnswerBytes else { return }
    entries.withLock { entries in
      entries[key] = Entry(answer: answer, time: now, bytes: bytes)
      // Answers that are too old are never shown again.
      entries = entries.filter { now - $0.value.time < Self.maximumAge }
      var sum = entries.values.reduce(0) { $0 + $1.bytes }
      while sum > Self.maximumBytes, let oldest = entries.min(by: { $0.value.time < $1.value.time }) {
        entries[oldest.key] = nil
        sum -= oldest.value.bytes
      }
    }
  }
}

extension AnsweredQuestion {
  /// The approximate memory that the answer takes, in bytes.
  var approximateBytes: Int {
    // A sample of rows is enough to estimate the length of their texts.
    let sample = stride(from: 0, to: table.count, by: max(1, table.count / 100)).map { table.row($0) }
    let texts = sample.reduce(0) { sum, row in
      row.reduce(sum) { if case .text(let text) = $1 { $0 + text.utf8.count } else { $0 } }
    }
    let textBytes = sample.isEmpty ? 0 : texts / sample.count
    return 1_000 + table.count * (64 + table.columns.count * 40 + textBytes)
  }
}
