import ServerBase
import Testing

@testable import Ingest

@Suite struct SipHasherTests {
  /// From the reference implementation: key 00…0f, message 00, 01, … of a length equal to the index.
  private let published: [UInt64] = [
    0x726f_db47_dd0e_0e31, 0x74f8_39c5_93dc_67fd, 0x0d6c_8009_d9a9_4f5a, 0x8567_6696_d7fb_7e2d,
    0xcf27_94e0_2771_87b7, 0x1876_5564_cd99_a68d, 0xcbc9_466e_58fe_e3ce, 0xab02_00f5_8b01_d137,
    0x93f5_f579_9a93_2462, 0x9e00_82df_0ba9_e4b0, 0x7a5d_bbc5_94dd_b9f3, 0xf4b3_2f46_226b_ada7,
    0x751e_8fbc_860e_e5fb, 0x14ea_5627_c084_3d90, 0xf723_ca90_8e7a_f2ee, 0xa129_ca61_49be_45e5,
  ]

  private var keyed: SipHasher { SipHasher(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908) }

  @Test func `the published vectors match`() {
    for (length, expected) in published.enumerated() {
      var hasher = keyed
      [UInt8](0..<16).prefix(length).withUnsafeBytes { hasher.append(bytes: $0) }
      #expect(hasher.finished() == expected, "length \(length)")
    }
  }

  @Test func `the division of the message into pieces does not matter`() {
    let message = (0..<40).map { UInt8($0 * 7 & 0xFF) }
    var whole = keyed
    message.withUnsafeBytes { whole.append(bytes: $0) }
    for first in 0...40 {
      for second in first...40 {
        var pieces = keyed
        for range in [0..<first, first..<second, second..<40] {
          message[range].withUnsafeBytes { pieces.append(bytes: $0) }
        }
        #expect(pieces.finished() == whole.finished())
      }
    }
  }

  @Test func `a key can be restored from its bytes`() {
    var generator = SplitMix64(seed: 3)
    let key = DuplicateHashKey.random(using: &generator)
    #expect(DuplicateHashKey(bytes: key.bytes) == key)
    #expect(DuplicateHashKey(bytes: [1, 2, 3]) == nil)
    #expect(DuplicateHashKey(bytes: [UInt8](0..<16)) == testKey)
  }

  @Test func `moving a character between adjacent texts changes the hash`() {
    let one = InstallHasher(key: testKey, app: 1, install: "ab")
    let other = InstallHasher(key: testKey, app: 1, install: "a")
    let hashes = ["c", "bc", ""].flatMap { type in
      Array(type.utf8).withUnsafeBytes { type in [one, other].map { $0.hash(type: type, bytes: type) } }
    }
    #expect(Set(hashes).count == hashes.count)
  }
}
