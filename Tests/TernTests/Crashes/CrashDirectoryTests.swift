import Foundation
import TernCrash
import TernEvents
import Testing

@Suite struct CrashDirectoryTests {
  @Test func `of reports by the system, the newest are kept, and those that can't be decoded are removed`() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tern-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let crashes = CrashDirectory(inQueue: directory.path)
    for number in 1...40 as ClosedRange<UInt64> {
      crashes.keep([UInt8(number)], id: UniqueID(high: number << 16, low: number))
    }
    func stored() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: crashes.path).count }
    #expect(try stored() == 40)
    let odd = crashes.diagnostics { bytes in bytes.first.flatMap { $0 % 2 == 0 ? nil : $0 } }
    #expect(try odd == Array(stride(from: UInt8(1), through: 39, by: 2)) && stored() == 20)
    for number in 41...80 as ClosedRange<UInt64> {
      crashes.keep([UInt8(number)], id: UniqueID(high: number << 16, low: number))
    }
    #expect(try crashes.diagnostics(\.first) == Array(49...80) && stored() == 32)
  }
}
