/// The facts that all events of a segment share. Events with another context go into another segment.
package struct LogContext: Sendable, Hashable {
  /// The part of recording that an event belongs to.
  package enum Part: UInt8, Sendable, CaseIterable {
    case usage = 0
    case errors = 1
  }

  /// The number of the identity that recorded the events.
  package var identity: UInt32
  package var part: Part
  /// Encoded facts of the owner, opaque to the log.
  package var facts: [UInt8]

  package init(identity: UInt32, part: Part = .usage, facts: [UInt8] = []) {
    self.identity = identity
    self.part = part
    self.facts = facts
  }
}

/// The events that an erasure removes.
package enum ErasureTarget: Sendable, Hashable {
  /// Those of one identity, its errors included.
  case identity(UInt32)
  /// Those of one part, of every identity.
  case part(LogContext.Part)

  package func includes(_ context: LogContext) -> Bool {
    switch self {
    case .identity(let number): context.identity == number
    case .part(let part): context.part == part
    }
  }
}
