package import Ingest

/// Finds functions and lines for the frames of stacks.
package protocol StackSymbolicator: Sendable {
  /// Returns a stack with the functions of those frames for which the app has symbols.
  ///
  /// - Returns: The stack, and the reason and remedy if symbols could not be read.
  func symbolicated(_ stack: ErrorStack, app: AppID) async -> (stack: ErrorStack, problem: String?)
  /// Returns the given builds for which the app has symbols.
  func builds(withSymbols builds: Set<String>, app: AppID) throws -> Set<String>
}

extension StackSymbolicator {
  /// None.
  package func builds(withSymbols builds: Set<String>, app: AppID) throws -> Set<String> { [] }
}
