import NIOConcurrencyHelpers
import Questions
import Reports
import Warehouse

/// The latest answers of dashboards, shared pages, the page of errors and suggested values, which are shown again for a
/// while: a dashboard that many keep open costs as much as one that is open once.
final class RecentAnswers: Sendable {
  /// The age at which an answer is asked again.
  static let maximumAge = Duration.seconds(60)
  /// The most answers kept; the oldest is left out first.
  static let maximumCount = 128

  /// A question of an app, with the days of its range as dates.
  struct Key: Hashable {
    var app: AppID
    var kind: Question.Kind
    var question: [UInt8]
  }

  private struct Entry {
    var answer: AnsweredQuestion
    var time: Duration
  }

  private let entries = NIOLockedValueBox<[Key: Entry]>([:])

  /// The number of answers kept.
  var count: Int { entries.withLockedValue(\.count) }

  /// Returns an answer that is not too old.
  func answer(_ key: Key, now: Duration) -> AnsweredQuestion? {
    entries.withLockedValue { entries in
      entries[key].flatMap { now - $0.time < Self.maximumAge ? $0.answer : nil }
    }
  }

  /// Keeps an answer.
  func keep(_ answer: AnsweredQuestion, _ key: Key, now: Duration) {
    entries.withLockedValue { entries in
      entries[key] = Entry(answer: answer, time: now)
      if entries.count > Self.maximumCount, let oldest = entries.min(by: { $0.value.time < $1.value.time }) {
        entries[oldest.key] = nil
      }
    }
  }
}
