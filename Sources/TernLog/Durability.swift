/// The moments at which stored events are flushed to the medium, which matters only when the device loses power.
///
/// An event survives the end of the process in every setting. `docs/log-format.md` lists the events that power loss may
/// take in each.
package enum Durability: Sendable {
  /// Never: power loss takes what the operating system has not written yet, about the last 30 seconds.
  case never
  /// On `EventLog.synchronize()`, which the client calls on background and after critical events: power loss takes the
  /// events after the last call.
  case onBackgroundAndCritical
  /// As above, and before every claim: a server only receives events that are on the medium.
  case everyBatch
}
