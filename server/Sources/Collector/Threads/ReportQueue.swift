/// The order of reports: a few run at a time, and waiting clients take turns.
struct ReportQueue: Sendable {
  /// The maximum number of reports that run at the same time.
  let maximumRunning: Int
  private(set) var running = 0
  /// The waiting clients in the order of their turns, each with its reports in order of arrival.
  private var turns: [(client: String, tickets: [Int])] = []

  /// The number of waiting reports.
  var waiting: Int { turns.reduce(0) { $0 + $1.tickets.count } }

  init(maximumRunning: Int) {
    self.maximumRunning = max(maximumRunning, 1)
  }

  /// Adds a report with a ticket; returns true if it may run at once, false if it must wait.
  mutating func enter(_ ticket: Int, client: String) -> Bool {
    if running < maximumRunning {
      running += 1
      return true
    }
    if let index = turns.firstIndex(where: { $0.client == client }) {
      turns[index].tickets.append(ticket)
    } else {
      turns.append((client, [ticket]))
    }
    return false
  }

  /// Records the end of a report and returns the ticket of the next one to run, if any.
  mutating func leave() -> Int? {
    guard !turns.isEmpty else {
      running -= 1
      return nil
    }
    var turn = turns.removeFirst()
    let ticket = turn.tickets.removeFirst()
    if !turn.tickets.isEmpty { turns.append(turn) }
    return ticket
  }

  /// Removes a report from the queue; returns false if it isn't waiting.
  mutating func abandon(_ ticket: Int) -> Bool {
    for index in turns.indices {
      guard let position = turns[index].tickets.firstIndex(of: ticket) else { continue }
      turns[index].tickets.remove(at: position)
      if turns[index].tickets.isEmpty { turns.remove(at: index) }
      return true
    }
    return false
  }
}
