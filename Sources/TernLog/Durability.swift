/// When stored events are flushed to the medium, which matters only when the device loses power.
///
/// An event survives the end of the process, however violent, in every setting.
package enum Durability: Sendable {
  /// Never; the operating system writes within its own interval (about 30 s).
  case never
  /// When `EventLog.synchronize()` is called: the client does on background and after critical events.
  case onBackgroundAndCritical
  /// As above, and before every claim.
  case everyBatch
}
