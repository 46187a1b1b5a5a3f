/// The state of `AppCenterCrashes`.
package struct CrashesState: Sendable {
  /// The crash of the previous process.
  package var last: CrashReport?
  /// True if the system warned the previous process of low memory.
  package var hadMemoryWarning = false
  /// The reports that wait for a decision, oldest first.
  package var undecided: [CrashReport] = []

  package init() {}
}
