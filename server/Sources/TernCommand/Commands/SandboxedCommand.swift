import ArgumentParser
import Foundation
import Symbols
import TernServer

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

  func validate() throws {
    guard (program == nil) == (file == nil) else {
      throw ValidationError("A program and its file belong together. Give --program and --file, or neither.")
    }
  }

  func run() throws {
    do {
      if let program, let file {
        try SandboxedTool.symbolize(program: program, file: file)
      } else {
        try SandboxedTool.demangle()
      }
    } catch .confinement {
      throw ExitCode(SandboxedTool.confinementExitCode)
    } catch .system(let code) {
      throw ServerFailure("Symbols can't be read: \(String(cString: strerror(code))).")
    }
  }
}
