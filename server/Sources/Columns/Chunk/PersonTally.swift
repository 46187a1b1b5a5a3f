package import Questions
package import Warehouse

/// Adds up the rows of one person.
package struct PersonTally {
  private struct Session: Hashable {
    var slot: UInt32
    var session: Int64
  }

  private let person: PersonNumber
  private var times: (first: Int64, last: Int64)?
  private var counts: [QuestionKind: Int] = [:]
  private var sessions: Set<Session> = []
  /// The time of the latest row of each device.
  private var devices: [PersonSummary.Device: Int64] = [:]
  /// The time of the latest row of each user of the install, or of each install of the user.
  private var partners: [UInt32: Int64] = [:]

  package init(_ person: PersonNumber) { self.person = person }

  /// Adds the rows of a chunk. Attachments are not among them.
  package mutating func add(_ chunk: Chunk) {
    guard let isPerson = chunk.senders(of: person) else { return }
    let latest = Memory<Int64>(count: chunk.header.senders, zero: .min)
    for row in 0..<chunk.rows where isPerson[Int(chunk.senders[row])] {
      let kind = chunk.kind(Int(chunk.labels[row]))
      guard kind != .other else { continue }
      counts[kind, default: 0] += 1
      let (time, sender) = (chunk.time(row), Int(chunk.senders[row]))
      latest[sender] = max(latest[sender], time)
      times = (min(times?.first ?? time, time), max(times?.last ?? time, time))
    }
    for sender in 0..<chunk.header.senders where latest[sender] != .min {
      let (slot, user, time) = (chunk.senderSlots[sender], chunk.senderUsers[sender], latest[sender])
      if chunk.senderSessions[sender] != 0 {
        sessions.insert(Session(slot: slot, session: chunk.senderSessions[sender]))
      }
      devices[chunk.device(ofSender: sender), default: .min].raise(to: time)
      switch person {
      case .install where user != 0: partners[user - 1, default: .min].raise(to: time)
      case .install: break
      case .user, .joined: partners[slot, default: .min].raise(to: time)
      }
    }
  }

  /// The sum; `nil` without rows.
  ///
  /// - Parameter other: Returns the user with a number, or for a user the install.
  package func summary(other: (UInt32) throws -> Person) rethrows -> PersonSummary? {
    guard let times else { return nil }
    var summary = PersonSummary(first: times.first, last: times.last)
    (summary.events, summary.sessions) = (counts[.event] ?? 0, sessions.count)
    (summary.errors, summary.crashes) = (counts[.handledError] ?? 0, counts[.crash] ?? 0)
    let latest = devices.sorted { $0.value > $1.value }
    summary.devices = latest.prefix(PersonSummary.maximumItems).map(\.key)
    summary.others = try partners.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
      .prefix(PersonSummary.maximumItems).map { try other($0.key) }
    return summary
  }
}

extension Chunk {
  fileprivate func device(ofSender sender: Int) -> PersonSummary.Device {
    let start = Int(senderDevices[sender]) * ChunkDevice.factCount
    func fact(_ dimension: QuestionDimension) -> String {
      let text = deviceTexts[start + (ChunkDevice.dimensions.firstIndex(of: dimension) ?? 0)]
      return text == Chunk.noText
        ? "" : String(decoding: CanonicalBytes.canonical(self.text(text), dimension), as: UTF8.self)
    }
    var device = PersonSummary.Device()
    (device.version, device.os, device.model) = (fact(.version), fact(.os), fact(.model))
    (device.country, device.language) = (fact(.country), fact(.language))
    return device
  }
}

extension Int64 {
  fileprivate mutating func raise(to other: Int64) { self = Swift.max(self, other) }
}
