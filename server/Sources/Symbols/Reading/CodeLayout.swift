import Foundation

/// The facts about a file's code that check the tool's answers.
struct CodeLayout {
  /// The addresses between which all of its code is; `nil` if it says nothing about that.
  var code: Range<UInt64>?
  /// The last start of a function at or before each address, as far as the file lists them.
  var lastStarts: [UInt64: UInt64] = [:]
  /// True if its functions are in other files (``ObjectFile/isSplit``).
  var isSplit = false

  /// Reads a file; throws ``ObjectError`` if it doesn't have usable symbols. Nothing is known of one that can't be opened.
  ///
  /// - Parameter addresses: Addresses in ascending order.
  init(path: String, addresses: [UInt64]) throws(ObjectError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let source = ObjectSource(descriptor: descriptor)
    guard let file = try ObjectFile.read(source).first else { return }
    (code, isSplit) = (file.code, file.isSplit)
    // A damaged table says nothing; the functions still have names.
    lastStarts = (try? file.functions?.lastStarts(in: source, before: addresses)) ?? [:]
  }
}
