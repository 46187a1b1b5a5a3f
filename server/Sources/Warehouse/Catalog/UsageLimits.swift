/// The share of the server that one app or one client address may use.
///
/// What is sent beyond a limit is refused with the time after which to try again. The defaults are far above what a busy app
/// needs: they keep someone who knows an app's public key, or only the server's address, from filling the disk or slowing
/// others.
package struct UsageLimits: Sendable, Hashable, Codable {
  package enum Kind: String, Sendable, CaseIterable, Codable {
    /// Requests with events.
    case requests
    /// Events, stored or rejected.
    case events
    /// Bytes on disk: what is stored of a request, not what was sent.
    case bytes
    /// Installs that have not sent anything before.
    case installs
  }

  /// The number of requests per second, averaged over a minute.
  package var requestsPerSecond: Int
  /// The number of events per second, averaged over a minute.
  package var eventsPerSecond: Int
  /// The bytes stored per day, at most a quarter of what is free on the disk.
  package var bytesPerDay: Int
  /// The number of new installs per day.
  package var installsPerDay: Int

  /// The limits of an app by default.
  package static let app = UsageLimits(
    requestsPerSecond: 5_000, eventsPerSecond: 20_000, bytesPerDay: 20 << 30, installsPerDay: 10_000_000)
  /// The limits of a client address by default; of IPv6, of the first half of an address.
  package static let address = UsageLimits(
    requestsPerSecond: 1_000, eventsPerSecond: 10_000, bytesPerDay: 5 << 30, installsPerDay: 200_000)

  package init(requestsPerSecond: Int, eventsPerSecond: Int, bytesPerDay: Int, installsPerDay: Int) {
    self.requestsPerSecond = requestsPerSecond
    self.eventsPerSecond = eventsPerSecond
    self.bytesPerDay = bytesPerDay
    self.installsPerDay = installsPerDay
  }

  /// A limit as a sentence says it, such as "20000 events a second".
  package func text(_ kind: Kind) -> String {
    switch kind {
    case .requests: "\(requestsPerSecond) requests a second"
    case .events: "\(eventsPerSecond) events a second"
    case .bytes: "\(bytesPerDay >> 20) MiB stored a day, or a quarter of the free disk space"
    case .installs: "\(installsPerDay) new installs a day"
    }
  }
}

/// The limits of an app that an operator has set; the others have their defaults.
package struct UsageLimitChanges: Sendable, Hashable, Codable {
  /// One of the limits: how programs and people name it.
  package struct Member: Sendable {
    /// The name in JSON, forms and the catalog.
    package let name: String
    /// The name that is shown.
    package let title: String
    /// The default.
    package let usual: Int
    /// The bytes of a unit in which it is shown; 1 if it isn't a number of bytes.
    package let unitBytes: Int
    /// The property that holds it.
    package let value: any WritableKeyPath<UsageLimitChanges, Int?> & Sendable

    /// Returns the limit that is set, in units; `nil` for the default. Less than a unit is shown as one.
    package func units(in changes: UsageLimitChanges) -> Int? { changes[keyPath: value].map { max($0 / unitBytes, 1) } }
  }

  /// The limits in the order in which they are shown.
  package static let members: [Member] = [
    Member(
      name: "requestsPerSecond", title: "Requests per second", usual: UsageLimits.app.requestsPerSecond, unitBytes: 1,
      value: \.requestsPerSecond),
    Member(
      name: "eventsPerSecond", title: "Events per second", usual: UsageLimits.app.eventsPerSecond, unitBytes: 1,
      value: \.eventsPerSecond),
    Member(
      name: "bytesPerDay", title: "MiB stored per day", usual: UsageLimits.app.bytesPerDay, unitBytes: 1 << 20,
      value: \.bytesPerDay),
    Member(
      name: "installsPerDay", title: "New installs per day", usual: UsageLimits.app.installsPerDay, unitBytes: 1,
      value: \.installsPerDay),
    Member(
      name: "errorTextBytes", title: "MiB of errors’ texts and attachments", usual: usualErrorTextBytes,
      unitBytes: 1 << 20, value: \.errorTextBytes),
  ]
  /// The valid values of a limit.
  package static let range = 1...(1 << 50)
  /// The bytes of stacks, raw errors and attachments that are kept of an app by default.
  package static let usualErrorTextBytes = 1 << 30

  /// The number of requests per second; `nil` for the default.
  package var requestsPerSecond: Int?
  /// The number of events per second; `nil` for the default.
  package var eventsPerSecond: Int?
  /// The bytes stored per day; `nil` for the default.
  package var bytesPerDay: Int?
  /// The number of new installs per day; `nil` for the default.
  package var installsPerDay: Int?
  /// The bytes of stacks, raw errors and attachments that are kept; `nil` for the default. Beyond it the oldest go.
  package var errorTextBytes: Int?

  /// Creates changes; none by default.
  package init() {}

  /// The limits of what an app may send, with these changes.
  package var limits: UsageLimits {
    let usual = UsageLimits.app
    return UsageLimits(
      requestsPerSecond: requestsPerSecond ?? usual.requestsPerSecond,
      eventsPerSecond: eventsPerSecond ?? usual.eventsPerSecond, bytesPerDay: bytesPerDay ?? usual.bytesPerDay,
      installsPerDay: installsPerDay ?? usual.installsPerDay)
  }

  /// All limits by name, with these changes.
  package var values: [String: Int] {
    Dictionary(uniqueKeysWithValues: Self.members.map { ($0.name, self[keyPath: $0.value] ?? $0.usual) })
  }
}
