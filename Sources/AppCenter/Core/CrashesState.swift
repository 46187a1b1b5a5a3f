/// What the module of crashes remembers.
package struct CrashesState: Sendable {
  /// The crash of the process before this one.
  package var last: CrashReport?
  /// The reports that nobody has decided about yet, the oldest first.
  package var undecided: [CrashReport] = []

  package init() {}
}
