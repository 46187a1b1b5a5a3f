/// The state of `AppCenterCrashes`.
package struct CrashesState: Sendable {
  /// The crash of the previous process.
  package var last: CrashReport?
  /// The reports that wait for a decision, oldest first.
  package var undecided: [CrashReport] = []

  package init() {}
}
