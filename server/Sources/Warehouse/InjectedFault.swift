import Foundation

/// Faults for the tests of what happens after one: an event or request with the name of a fault brings the place after
/// which the fault is named to a trap.
///
/// Only debug builds have them, and only if the environment asks for them.
@usableFromInline
package enum InjectedFault: String {
  case counting, columns, view, question, page

  #if DEBUG
    private static let injects = ProcessInfo.processInfo.environment["TERN_INJECTED_FAULTS"] == "1"

    /// Traps if the name is that of this fault.
    @inline(__always)
    package func trap(_ name: UnsafeRawBufferPointer) {
      guard Self.injects, name.elementsEqual("fault-in-\(rawValue)".utf8) else { return }
      fatalError("An injected fault in \(rawValue).")
    }
  #else
    @inlinable @inline(__always)
    package func trap(_ name: UnsafeRawBufferPointer) {}
  #endif
}
