/// What the module of crashes remembers.
package struct CrashesState: Sendable {
  /// The reports that wait for the user's consent or were sent, the oldest first.
  package var reports: [CrashReport] = []
  /// Those among them that nobody has decided about yet.
  package var undecided: [CrashReport] = []
  package var alwaysSends = false

  package init() {}
}
