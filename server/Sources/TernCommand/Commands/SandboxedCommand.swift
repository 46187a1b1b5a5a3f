import ArgumentParser
import Foundation
import Symbols

/// `tern run-sandboxed`, which reads symbols; see `SandboxedTool`.
struct SandboxedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Symbolicator.commandName, abstract: "Give up all rights, then read symbols.",
    discussion: "A server starts this to read files with symbols, which may be hostile. Without options, it demangles.",
    shouldDisplay: false)

  @Option(help: "The path of llvm-symbolizer.")
  var program: String?

  @Option(help: "The file with symbols.")
  var file: String?

  func run() throws {
    let code: Int32
    if let program, let file {
      code = SandboxedTool.symbolize(program: program, file: file)
    } else {
      code = SandboxedTool.demangle()
    }
    guard code == 0 else { throw CommandFailure("The sandbox can't be entered: \(String(cString: strerror(code))).") }
  }
}
