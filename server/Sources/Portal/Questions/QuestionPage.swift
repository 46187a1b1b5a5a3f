package import Questions

/// A page that asks a question; its form's state is the address.
package enum QuestionPage: String, CaseIterable, Sendable {
  case explore, funnels, retention, paths, lifecycle, people

  /// The kind of the question.
  package var kind: Question.Kind {
    switch self {
    case .explore: .query
    case .funnels: .funnel
    case .retention: .retention
    case .paths: .paths
    case .lifecycle: .lifecycle
    case .people: .persons
    }
  }

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// One sentence about the figures.
  var explanation: String {
    switch self {
    case .explore: "A metric over time, for the rows that pass all filters."
    case .funnels: "The users who take steps one after the other, and where the others stop."
    case .retention: "The users who come back in the days, weeks or months after they started."
    case .paths: "The screens and events that follow each other within sessions."
    case .lifecycle: "New, returning, resurrected and dormant users, and how regularly users come."
    case .people: "The users behind a figure, last seen first."
    }
  }

  /// The icon on a grid of 20 by 20.
  var icon: String {
    switch self {
    case .explore: "M3 16l4-6 4 3 6-9M3 3v14h14"
    case .funnels: "M3 4h14l-5 6v6l-4-2v-4z"
    case .retention: "M4 10a6 6 0 1 1 2 4.5M4 10l-2-2M4 10l2-2"
    case .paths: "M3 5h4c4 0 2 10 6 10h4M3 15h4c4 0 2-10 6-10h4"
    case .lifecycle: "M3 16V9M8 16V4M13 16v-5M17 16V7"
    case .people: "M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-3.5 2.7-5.5 6-5.5s6 2 6 5.5"
    }
  }
}
