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
  /// The most bytes of names to demangle.
  static let maximumInputBytes = 4 << 20

  /// The directories with the programs and libraries of the system.
  private static let systemPaths = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache"]

  /// Replaces this process by `llvm-symbolizer`, which reads addresses from standard input.
  ///
  /// - Parameters:
  ///   - program: The path of `llvm-symbolizer`.
  ///   - file: The file with symbols.
  /// - Returns: The error, as in `errno`.
  package static func symbolize(program: String, file: String) -> Int32 {
    var status = stat()
    guard stat(file, &status) == 0 else { return errno }
    // The libraries of a program outside of the system's directories are beside its `bin`, to which a link may lead.
    let folder = URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent()
    let libraries = folder.lastPathComponent == "bin" ? [folder.deletingLastPathComponent().path] : []
    let paths = systemPaths + libraries + [program, file]
    let arguments = [program, "--obj=\(file)", "--output-style=JSON", "--inlines", "--functions=linkage"]
    return withCStrings(arguments) { arguments in
      guard let program = arguments[0] else { return ENOENT }
      let memory = memoryBytes + UInt64(clamping: status.st_size)
      let code = enter(paths, program: UnsafePointer(program), memory: memory)
      guard code == 0 else { return code }
      var environment: UnsafeMutablePointer<CChar>?
      execve(program, arguments, &environment)
      return errno
    }
  }

  /// Demangles the lines of standard input, and writes one line for each.
  ///
  /// - Returns: 0, or an error as in `errno`.
  package static func demangle() -> Int32 {
    guard let input = try? FileHandle.standardInput.read(upToCount: maximumInputBytes) else { return 0 }
    let code = enter([], program: nil, memory: memoryBytes)
    guard code == 0 else { return code }
    var output = ""
    for line in String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      output += demangled(String(line)).prefix(utf8Bytes: SymbolizerOutput.maximumNameBytes) + "\n"
    }
    FileHandle.standardOutput.write(Data(output.utf8))
    return 0
  }

  private static func demangled(_ name: String) -> String {
    guard let text = swift_demangle(name, name.utf8.count, nil, nil, 0) else { return name }
    defer { free(text) }
    return String(cString: text).replacing("\n", with: " ")
  }

  private static func enter(_ paths: [String], program: UnsafePointer<CChar>?, memory: UInt64) -> Int32 {
    withCStrings(paths) { pointers in
      pointers.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: paths.count) {
        tern_sandbox_enter($0, paths.count, program, memory, seconds)
      }
    }
  }

  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      // Never empty: it ends with a null pointer.
      buffer.baseAddress.map(body) ?? body(UnsafeMutablePointer.allocate(capacity: 1))
    }
  }
}
