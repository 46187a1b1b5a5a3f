import Foundation
import TernBase

/// A function at a position, or one that was inlined there.
struct ResolvedFrame: Sendable, Hashable {
  /// The name; empty if unknown.
  var function: String
  /// The source file; empty if unknown.
  var file: String
  /// The line; 0 if unknown.
  var line: Int
}

/// Decodes the output of `llvm-symbolizer`: a line of JSON for each address. It may be anything.
enum SymbolizerOutput {
  static let maximumNameBytes = 1_024
  /// The most calls that are inlined into each other at one address.
  private static let maximumFrames = 64
  /// The most bytes from a symbol to a position that it names, if the file doesn't list its function.
  private static let maximumUnlistedBytes: UInt64 = 64 << 10

  /// Returns the functions at each address, the innermost first; none for a position without a function. Addresses for which
  /// the tool has an error, or nothing, are missing.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, in the order in which the tool got them.
  ///   - layout: The facts about the file that check the answers.
  static func decode(
    _ output: [UInt8], addresses: [UInt64], _ layout: CodeLayout
  ) -> [UInt64: [ResolvedFrame]] {
    var found: [UInt64: [ResolvedFrame]] = [:]
    let known = Set(addresses)
    for line in output.split(separator: UInt8(ascii: "\n")).prefix(addresses.count) {
      guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(line)), answer.Address.hasPrefix("0x"),
        let address = UInt64(answer.Address.dropFirst(2), radix: 16), known.contains(address),
        let symbols = answer.Symbol
      else { continue }
      let frames = symbols.prefix(maximumFrames).filter { symbol in
        hasLine(symbol, layout) || isFunction(from: symbol.start, at: address, lastStart: layout.lastStarts[address])
      }
      found[address] = frames.map { symbol in
        let hasLine = hasLine(symbol, layout)
        return ResolvedFrame(
          function: name(symbol.FunctionName), file: hasLine ? name(symbol.FileName) : "",
          line: hasLine ? max(0, symbol.Line ?? 0) : 0)
      }.filter { !$0.function.isEmpty || $0.line > 0 }
    }
    return found
  }

  /// Returns true if the line is of the function with that name. In a file without its functions, it may be of one that is
  /// inlined into it.
  private static func hasLine(_ symbol: Symbol, _ layout: CodeLayout) -> Bool {
    symbol.FileName?.isEmpty == false && (!layout.isSplit || symbol.StartLine ?? 0 > 0)
  }

  /// Returns true if a symbol without debug information names the function at an address.
  ///
  /// The tool takes the nearest symbol before it, which is of another function where symbols are missing.
  private static func isFunction(from start: UInt64?, at address: UInt64, lastStart: UInt64?) -> Bool {
    guard let start, start <= address else { return false }
    if let lastStart, start <= lastStart { return start == lastStart }
    return address - start <= maximumUnlistedBytes
  }

  /// A name as one line of limited length; empty for the tool's mark of unknown names.
  private static func name(_ text: String?) -> String {
    guard let text, text != "??" else { return "" }
    return String(text.map { $0.isNewline ? " " : $0 }).prefix(utf8Bytes: maximumNameBytes)
  }

  private struct Answer: Decodable {
    var Address: String
    var Symbol: [Symbol]?
  }

  private struct Symbol: Decodable {
    var FunctionName: String?
    var FileName: String?
    var Line: Int?
    var StartAddress: String?
    var StartLine: Int?

    var start: UInt64? { StartAddress.flatMap { $0.hasPrefix("0x") ? UInt64($0.dropFirst(2), radix: 16) : nil } }
  }
}
