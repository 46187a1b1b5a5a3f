/// The order of reports: a few run at a time, and the clients that wait take turns.
struct ReportQueue: Sendable {
  /// The largest number of reports that run at the same time.
  let maximumRunning: Int
  private(set) var running = 0
  /// Clients that wait, in the order of their turns, each with its reports in order of arrival.
  private var turns: [(client: String, tickets: [Int])] = []

  init(maximumRunning: Int) {
    self.maximumRunning = max(maximumRunning, 1)
  }

  /// Adds a report under a ticket of its own; returns true when it may run at once, false when it waits.
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

  /// Records the end of a report and returns the ticket of the one that may run now.
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

  /// Takes a report out of the queue; returns false when it is not waiting.
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
