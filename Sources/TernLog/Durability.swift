/// When stored events are flushed to the medium, which matters only when the device loses power.
///
/// An event survives the end of the process, however violent, in every setting. `docs/log-format.md` says what each
/// setting may lose.
package enum Durability: Sendable {
  /// Never: power loss takes what the operating system has not written by itself, about the last 30 seconds.
  case never
  /// When `EventLog.synchronize()` is called, as the client does on background and after critical events: power loss
  /// takes what came after the last call.
  case onBackgroundAndCritical
  /// As above, and before every claim: what a server has received was on the medium.
  case everyBatch
}
