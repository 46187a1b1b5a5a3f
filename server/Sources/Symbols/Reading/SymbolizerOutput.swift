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

  /// Returns the functions at each address, the innermost first; none for a position without a function. Addresses for which
  /// the tool has an error, or nothing, are missing.
  ///
  /// - Parameter addresses: The addresses, in the order in which the tool got them.
  static func decode(_ output: [UInt8], addresses: [UInt64]) -> [UInt64: [ResolvedFrame]] {
    var frames: [UInt64: [ResolvedFrame]] = [:]
    let known = Set(addresses)
    for line in output.split(separator: UInt8(ascii: "\n")).prefix(addresses.count) {
      guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(line)), answer.Address.hasPrefix("0x"),
        let address = UInt64(answer.Address.dropFirst(2), radix: 16), known.contains(address),
        let symbols = answer.Symbol
      else { continue }
      frames[address] = symbols.prefix(maximumFrames).map { symbol in
        ResolvedFrame(
          function: name(symbol.FunctionName), file: name(symbol.FileName),
          line: max(0, symbol.Line ?? 0))
      }.filter { !$0.function.isEmpty }
    }
    return frames
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
  }
}
