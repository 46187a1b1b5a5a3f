import Foundation
import Ingest
import TernEvents
import Testing

@testable import Symbols

struct ObjectFileTests {
  @Test func `an executable with a symbol table has its build identifier`() throws {
    let program = try SampleProgram()
    let file = try #require(try ObjectFile.read(ObjectSource(program.bytes)).first)
    #expect(try file.buildID == program.buildID && file.hasLines && file.range == 0..<program.bytes.count)
    #expect(file.textAddress == 0 && !file.architecture.isEmpty)
    let (code, end) = (try #require(file.code), try program.address(of: "_end"))
    #expect(try code.contains(program.address(of: "outer")) && !code.contains(end) && !code.contains(0))
    let apple = try #require(
      try ObjectFile.read(ObjectSource(MachOSample.thin(cpu: 0x0100_000C, uuid: [UInt8](1...16)))).first)
    #expect(apple.code == 0x1_0000_0000..<0x1_0000_4000)
  }

  @Test func `a file without symbols or build identifier is refused with what to do`() throws {
    let program = try SampleProgram()
    let stripped = try program.copied(by: "strip", ["-s", "-o"])
    #expect(throws: ObjectError.stripped) { try ObjectFile.read(ObjectSource(stripped)) }
    let anonymous = try program.copied(by: "objcopy", ["--remove-section=.note.gnu.build-id"], isOutputLast: true)
    #expect(throws: ObjectError.noBuildID) { try ObjectFile.read(ObjectSource(anonymous)) }
    for bytes in [[], [1], Array("#!/bin/sh\n".utf8), [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52]] as [[UInt8]] {
      #expect(throws: ObjectError.notSymbols) { try ObjectFile.read(ObjectSource(bytes)) }
    }
  }

  @Test func `a file with debug information alone has the identifier of its program`() throws {
    let program = try SampleProgram()
    let debug = try program.copied(by: "objcopy", ["--only-keep-debug"], isOutputLast: true)
    let file = try #require(try ObjectFile.read(ObjectSource(debug)).first)
    #expect(try file.buildID == program.buildID && file.hasLines)
    #expect(try file.code == ObjectFile.read(ObjectSource(program.bytes)).first?.code)
  }

  @Test func `a file that is damaged anywhere is read or refused, but never traps`() throws {
    let program = try SampleProgram().bytes
    var generator = FastGenerator.seeded()
    let executable = MachOSample.executable(
      uuid: [UInt8](1...16), base: 0x1_0000_0000, function: 0x1_0000_1000, size: 8, symbol: "_f",
      starts: [0x1000, 0x2000])
    for sample in [program, MachOSample.universal(), executable] {
      for _ in 0..<3_000 {
        var bytes = sample
        let head = Int.random(in: 0...1, using: &generator) == 0 ? min(bytes.count, 4_096) : bytes.count
        for _ in 0..<Int.random(in: 1...16, using: &generator) {
          let position = Int.random(in: 0..<head, using: &generator)
          let value: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
          bytes[position] = value.randomElement(using: &generator) ?? 0
        }
        if Int.random(in: 0...7, using: &generator) == 0 {
          bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
        }
        for file in (try? ObjectFile.read(ObjectSource(bytes))) ?? [] {
          #expect(file.range.upperBound <= bytes.count && BuildIdentifier.normalized(file.buildID) == file.buildID)
          let addresses: [UInt64] = [0, 0x1_0000_1000, .max]
          let starts = try? file.functions?.lastStarts(in: ObjectSource(bytes), before: addresses)
          #expect((starts ?? [:]).allSatisfy { $0.key >= $0.value && addresses.contains($0.key) })
        }
      }
      for position in 0..<min(sample.count, 1_024) {
        var bytes = sample
        for offset in position..<min(position + 8, bytes.count) { bytes[offset] = 0xFF }
        _ = try? ObjectFile.read(ObjectSource(bytes))
      }
    }
  }

  @Test func `each architecture of a universal Mach-O file is found`() throws {
    let files = try ObjectFile.read(ObjectSource(MachOSample.universal()))
    #expect(files.map(\.architecture) == ["x86_64", "arm64"])
    #expect(files.map(\.buildID) == ["00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"])
    #expect(files.allSatisfy { $0.hasLines && $0.textAddress == 0x1_0000_0000 })
    #expect(files[0].range.upperBound <= files[1].range.lowerBound)
  }

  @Test func `architectures that overlap are refused, because each is stored alone`() throws {
    // The second entry of the table names the bytes of the first one.
    var bytes = MachOSample.universal()
    bytes.replaceSubrange(36..<40, with: bytes[16..<20])
    #expect(throws: ObjectError.damaged("its architectures overlap")) { try ObjectFile.read(ObjectSource(bytes)) }
  }
}
