import Foundation

/// The `--name value` pairs of a command line; a name without a value has an empty one.
package struct ProbeOptions {
  private var values: [String: String] = [:]

  package init(_ arguments: some Sequence<String>) {
    var name: String?
    for argument in arguments {
      if argument.hasPrefix("--") {
        name = String(argument.dropFirst(2))
        name.map { values[$0] = "" }
      } else if let name {
        values[name] = argument
      }
    }
  }

  package subscript(name: String) -> String? { values[name] }
}

/// Writes a line without buffering, because a test waits for it or the process is about to crash.
package func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
