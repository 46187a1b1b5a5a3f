import Foundation

/// The journal of the example app: `> entry` before each call, `< entry` after it.
struct RecordedJournal {
  /// A call: its day and install, and what it recorded.
  struct Entry: Hashable {
    let day: String
    let install: String
    let kind: String
    let name: String
  }

  /// The calls that returned: these must arrive.
  private(set) var returned: [Entry] = []
  /// The calls that began: nothing else may arrive.
  private(set) var begun: [Entry] = []

  init(_ texts: [String]) {
    for line in texts.joined(separator: "\n").split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 4)
      guard parts.count >= 4 else { continue }
      let entry = Entry(
        day: String(parts[1]), install: String(parts[2]), kind: String(parts[3]),
        name: parts.count > 4 ? String(parts[4]) : "")
      if parts[0] == "<" { returned.append(entry) } else { begun.append(entry) }
    }
  }

  func counts(kind: String) -> [String: Int] {
    Dictionary(grouping: returned.filter { $0.kind == kind }, by: \.name).mapValues(\.count)
  }

  func users(kind: String) -> [String: Int] {
    Dictionary(grouping: returned.filter { $0.kind == kind }, by: \.name).mapValues { Set($0.map(\.install)).count }
  }

  func perDay(kind: String) -> [String: Int] {
    Dictionary(grouping: returned.filter { $0.kind == kind }, by: \.day).mapValues(\.count)
  }

  var activePerDay: [String: Int] {
    Dictionary(grouping: returned, by: \.day).mapValues { Set($0.map(\.install)).count }
  }

  var installs: Set<String> { Set(returned.map(\.install)) }
}
