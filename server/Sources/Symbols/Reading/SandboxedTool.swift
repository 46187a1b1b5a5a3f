import CTernSandbox
import Foundation
import TernBase

/// The part of a symbolizer that runs in its process: it takes all rights from itself, and becomes `llvm-symbolizer` or
/// demangles Swift's names.
///
/// Both read what was uploaded, which may be made to attack them.
package enum SandboxedTool {
  /// The address space besides the file with symbols, which is mapped.
  static let memoryBytes: UInt64 = 1 << 30
  /// The most processor time, in seconds.
  static let seconds: UInt64 = 10
  /// The exit code of `tern` if the kernel doesn't confine it, which tools don't have.
  package static let confinementExitCode: Int32 = 120

  /// The reason why a tool doesn't run, with an error code as in `errno`.
  package enum Failure: Error, Hashable {
    /// The kernel doesn't take its rights.
    case confinement(Int32)
    /// The program or its input can't be read.
    case system(Int32)
  }

  /// The directories with the programs and libraries of the system.
  private static let systemPaths = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache"]

  /// Replaces this process by `llvm-symbolizer`, which reads addresses from standard input.
  ///
  /// - Parameters:
  ///   - program: The path of `llvm-symbolizer`.
  ///   - file: The file with symbols.
  /// - Throws: ``Failure``; otherwise it doesn't return.
  package static func symbolize(program: String, file: String) throws(Failure) {
    var status = stat()
    guard stat(file, &status) == 0 else { throw .system(errno) }
    // The libraries of a program outside of the system's directories are beside its `bin`, to which a link may lead.
    let folder = URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent()
    let libraries = folder.lastPathComponent == "bin" ? [folder.deletingLastPathComponent().path + "/lib"] : []
    let paths = systemPaths + libraries + [program, file]
    let arguments = [program, "--obj=\(file)", "--output-style=JSON", "--inlines", "--functions=linkage"]
    try withCStrings(arguments) { (arguments) throws(Failure) in
      guard let program = arguments[0] else { throw .system(ENOMEM) }
      try enter(
        paths, program: UnsafePointer(program), memory: memoryBytes + UInt64(clamping: status.st_size))
      var environment: UnsafeMutablePointer<CChar>?
      execve(program, arguments, &environment)
      throw .system(errno)
    }
  }

  /// Demangles the lines of standard input, and writes one line for each.
  ///
  /// - Throws: ``Failure``.
  package static func demangle() throws(Failure) {
    let input: Data
    do {
      input = try FileHandle.standardInput.read(upToCount: SymbolizerProcess.maximumInputBytes) ?? Data()
    } catch {
      throw .system(EIO)
    }
    try enter([], program: nil, memory: memoryBytes)
    var output = ""
    for line in String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      output += demangled(String(line)).prefix(utf8Bytes: SymbolizerOutput.maximumNameBytes) + "\n"
    }
    FileHandle.standardOutput.write(Data(output.utf8))
  }

  private static func demangled(_ name: String) -> String {
    guard let text = swift_demangle(name, name.utf8.count, nil, nil, 0) else { return name }
    defer { free(text) }
    return String(cString: text).replacing("\n", with: " ")
  }

  private static func enter(
    _ paths: [String], program: UnsafePointer<CChar>?, memory: UInt64
  ) throws(Failure) {
    try withCStrings(paths) { (pointers) throws(Failure) in
      let code = pointers.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: paths.count) {
        tern_sandbox_enter($0, paths.count, program, memory, seconds)
      }
      guard code == 0 else { throw .confinement(code) }
    }
  }

  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws(Failure) -> Void
  ) throws(Failure) {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    try body(&pointers)
  }
}
