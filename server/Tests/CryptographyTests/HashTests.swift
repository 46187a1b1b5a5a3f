import Cryptography
import Testing

/// Compares hashes, codes and derived keys with the published vectors.
@Suite struct HashTests {
  @Test func `libcrypto can be prepared, and again`() throws {
    try Libcrypto.prepare()
    try Libcrypto.prepare()
  }

  @Test func `hashes are those of FIPS 180-4`() {
    let vectors: [(HashFunction, String, String)] = [
      (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha384, "abc",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
      ),
      (
        .sha512, "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ]
    for (function, text, hash) in vectors {
      #expect(hexadecimal(function.hash(text.utf8)) == hash)
      #expect(function.byteCount * 2 == hash.utf8.count)
    }
  }

  @Test func `a hash of parts is that of the whole, and its value can be read in between`() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let running = RunningHash(.sha256)
    #expect(running.value == HashFunction.sha256.hash([]))
    for part in stride(from: 0, to: bytes.count, by: 37) {
      bytes[part..<min(part + 37, bytes.count)].withUnsafeBytes { running.update($0) }
      #expect(running.value == HashFunction.sha256.hash(bytes.prefix(part + 37)))
    }
  }

  @Test func `codes are those of RFC 4231`() {
    let vectors: [(HashFunction, key: [UInt8], text: String, code: String)] = [
      (
        .sha256, Array(repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        .sha384, Array("Jefe".utf8), "what do ya want for nothing?",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
      ),
      (
        .sha512, Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
          + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
      ),
    ]
    for (function, key, text, code) in vectors {
      #expect(hexadecimal(function.authenticationCode(of: text.utf8, key: key)) == code)
    }
    #expect(
      hexadecimal(HashFunction.sha256.authenticationCode(of: [], key: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  @Test func `keys from passwords are those of RFC 7914`() throws {
    #expect(
      hexadecimal(try Scrypt.derive(from: [], salt: [], cost: 16, blockSize: 1, parallelism: 1))
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442")
    #expect(
      hexadecimal(
        try Scrypt.derive(
          from: Array("password".utf8), salt: Array("NaCl".utf8), cost: 1_024, blockSize: 8, parallelism: 16))
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
  }

  @Test(arguments: [(3, 8, 1), (0, 8, 1), (1, 8, 1), (16, 0, 1), (16, 8, 0), (-16, 8, 1), (1 << 20, 1 << 10, 1)])
  func `impossible costs of a password are errors`(cost: Int, blockSize: Int, parallelism: Int) {
    #expect(throws: Scrypt.Failure.self) {
      try Scrypt.derive(from: [1], salt: [2], cost: cost, blockSize: blockSize, parallelism: parallelism)
    }
  }

  @Test func `bytes are equal only if all are`() {
    #expect(ConstantTime.areEqual([], [] as [UInt8]))
    #expect(ConstantTime.areEqual("abc".utf8, [97, 98, 99] as [UInt8]))
    for other in ["abd", "bbc", "ab", "abcd", ""] { #expect(!ConstantTime.areEqual("abc".utf8, other.utf8)) }
  }

  @Test func `keys are random`() {
    let keys = (0..<100).map { _ in RandomKey.make() }
    #expect(Set(keys).count == 100)
    #expect(keys.allSatisfy { $0.count == 32 })
    #expect(Set(keys.joined()).count > 200)
  }
}
