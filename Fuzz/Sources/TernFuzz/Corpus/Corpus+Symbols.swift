extension Corpus {
  static var symbols: [[UInt8]] {
    let errors = [
      #"{"exception":{"type":"SIGILL","frames":[{"address":"0x5d8d","code":"App(+0x1d8d) [8a7f0c1de2b34455]"}],"#
        + #""stackTrace":"Thread: 1 m\nRegisters:\n  rip 0x5d8d\nImages:\n  0x4000 App [8a7f0c1de2b34455]\n"#
        + #"Thread 2 w:\n  0x5d90 App(+0x1d90)\n","innerExceptions":[{"type":"B","stackTrace":"x"}]}}"#,
      #"{"errorThreadId":4,"threads":[{"id":4,"frames":[{"address":"0x1010"},{"address":"4112"}]}],"registers":{"x0":"1"},"#
        + #""binaries":[{"id":"0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9","name":"p","startAddress":"0x1000","endAddress":"8191"}]}"#,
    ]
    let thin = machO(processor: 0x0100_000C)
    let universal = joined(
      [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 1, 1, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 28],
      little(UInt64(thin.count), 4).reversed(), [0, 0, 0, 2], thin)
    return texts(errors) + [elf(is64Bit: true), elf(is64Bit: false), thin, universal]
  }

  private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  private static func little(_ value: UInt64, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (UInt64($0) * 8)) }
  }

  private static func words(_ values: UInt64...) -> [UInt8] { values.flatMap { little($0, 4) } }

  /// An ELF file with a build identifier and debug information, which is part of its header.
  private static func elf(is64Bit: Bool) -> [UInt8] {
    let word = is64Bit ? 8 : 4
    let headerBytes = is64Bit ? 64 : 52
    let names = Array("\0.note.gnu.build-id\0.debug_info\0.names\0".utf8)
    let note = joined(words(4, 8, 3), Array("GNU\0".utf8), [1, 2, 3, 4, 5, 6, 7, 8])
    func section(_ name: UInt64, _ type: UInt64, _ offset: Int, _ size: Int) -> [UInt8] {
      joined(
        words(name, type), little(0, word), little(0, word), little(UInt64(offset), word), little(UInt64(size), word),
        words(0, 0), little(0, word), little(0, word))
    }
    let table = UInt64(headerBytes + names.count + note.count)
    let sections = joined(
      section(0, 0, 0, 0), section(1, 7, headerBytes + names.count, note.count), section(20, 1, 0, 8),
      section(32, 3, headerBytes, names.count))
    let shorts = [headerBytes, 0, 0, is64Bit ? 64 : 40, 4, 3].flatMap { little(UInt64($0), 2) }
    let header = joined(
      [0x7F, 0x45, 0x4C, 0x46, is64Bit ? 2 : 1, 1, 1], [UInt8](repeating: 0, count: 9), [2, 0, 62, 0], words(1),
      little(0, word), little(0, word), little(table, word), words(0), shorts)
    return joined(header, names, note, sections)
  }

  /// A Mach-O file with a UUID, a text segment and debug information, which is missing.
  private static func machO(processor: UInt64) -> [UInt8] {
    func name(_ text: String) -> [UInt8] { Array((Array(text.utf8) + [UInt8](repeating: 0, count: 16)).prefix(16)) }
    func segment(_ title: String, _ sections: [UInt8]) -> [UInt8] {
      joined(
        words(0x19, UInt64(72 + sections.count)), name(title), little(0x1000, 8), little(0x1000, 8), little(0, 16),
        words(7, 5, sections.isEmpty ? 0 : 1, 0), sections)
    }
    let information = joined(name("__debug_info"), name("__DWARF"), little(0, 8), little(64, 8), little(0, 32))
    let commands = joined(
      words(0x1B, 24), [UInt8](1...16), segment("__TEXT", []), segment("__DWARF", information))
    return joined(words(0xFEED_FACF, processor, 0, 10, 3, UInt64(commands.count), 0, 0), commands)
  }
}
