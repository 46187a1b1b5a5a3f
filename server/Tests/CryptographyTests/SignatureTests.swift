import Cryptography
import Foundation
import Testing

/// Verifies signatures of the standards, and ones that a careless verifier accepts.
@Suite struct SignatureTests {
  private func bytes(_ text: String) throws -> [UInt8] {
    let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Array(
      try #require(Data(base64Encoded: padded.replacing("-", with: "+").replacing("_", with: "/"))))
  }

  private func rsa() throws -> PublicKey {
    try #require(PublicKey(modulus: bytes(SampleSignatures.modulus), exponent: [1, 0, 1]))
  }

  private let text = Array(SampleSignatures.text.utf8)

  @Test func `the signatures of RFC 7515 and 8037 are valid, for their texts only`() throws {
    let rsa = try #require(PublicKey(modulus: bytes(SampleSignatures.standardRSA.modulus), exponent: [0, 1, 0, 1]))
    let rsaText = Array("eyJhbGciOiJSUzI1NiJ9.\(SampleSignatures.payload)".utf8)
    let signature = try bytes(SampleSignatures.standardRSA.signature)
    #expect(rsa.isValidSignature(signature, for: rsaText, hash: .sha256, padding: .pkcs1))
    #expect(!rsa.isValidSignature(signature, for: rsaText.dropLast(), hash: .sha256, padding: .pkcs1))
    #expect(!rsa.isValidSignature(signature, for: rsaText, hash: .sha384, padding: .pkcs1))
    #expect(!rsa.isValidSignature(signature, for: rsaText, hash: .sha256, padding: .pss))

    let sample = SampleSignatures.standardP256
    let p256 = try #require(PublicKey(.p256, x: bytes(sample.x), y: bytes(sample.y)))
    let text = Array("eyJhbGciOiJFUzI1NiJ9.\(SampleSignatures.payload)".utf8)
    #expect(p256.isValidSignature(try bytes(sample.signature), for: text))
    #expect(!p256.isValidSignature(try bytes(sample.signature), for: text + [0]))

    let edwards = SampleSignatures.standardEd25519
    let ed25519 = try #require(PublicKey(ed25519: bytes(edwards.key)))
    #expect(ed25519.isValidSignature(try bytes(edwards.signature), for: Array(edwards.text.utf8)))
    #expect(!ed25519.isValidSignature(try bytes(edwards.signature), for: Array(edwards.text.utf8).reversed()))
  }

  @Test func `signatures of the longer curves are valid only unchanged`() throws {
    let (p384, p521) = (SampleSignatures.p384, SampleSignatures.p521)
    for (curve, x, y, signature) in [
      (PublicKey.Curve.p384, p384.x, p384.y, p384.signature), (.p521, p521.x, p521.y, p521.signature),
    ] {
      let key = try #require(PublicKey(curve, x: bytes(x), y: bytes(y)))
      var signature = try bytes(signature)
      #expect(key.isValidSignature(signature, for: text))
      for byte in stride(from: 0, to: signature.count, by: 7) {
        signature[byte] ^= 0x10
        #expect(!key.isValidSignature(signature, for: text), "\(curve), byte \(byte)")
        signature[byte] ^= 0x10
      }
      #expect(
        !key.isValidSignature(signature + [0], for: text) && !key.isValidSignature(signature.dropLast(), for: text))
      #expect(!key.isValidSignature([], for: text))
    }
  }

  @Test func `numbers outside of the curve's order, and wrong ones, are refused`() throws {
    let sample = SampleSignatures.standardP256
    let key = try #require(PublicKey(.p256, x: bytes(sample.x), y: bytes(sample.y)))
    let text = Array("eyJhbGciOiJFUzI1NiJ9.\(SampleSignatures.payload)".utf8)
    let signature = try bytes(sample.signature)
    let (r, s) = (Array(signature.prefix(32)), Array(signature.suffix(32)))
    let order = [0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551]
      .flatMap { (word: UInt64) in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    let (zero, one) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1])
    for (r, s) in [
      (zero, zero), (zero, s), (r, zero), (order, s), (r, order), (order, order), (one, one), (one, zero), (zero, one),
      (Array(repeating: 255, count: 32), s), (s, r),
    ] {
      #expect(!key.isValidSignature(r + s, for: text))
    }
    #expect(key.isValidSignature(r + s, for: text))
  }

  @Test func `RSA signatures are valid only with the padding and hash that made them`() throws {
    let (key, pkcs1, pss) = (try rsa(), try bytes(SampleSignatures.goodPKCS1), try bytes(SampleSignatures.goodPSS))
    for hash in HashFunction.allCases {
      #expect(key.isValidSignature(pkcs1, for: text, hash: hash, padding: .pkcs1) == (hash == .sha256))
      #expect(key.isValidSignature(pss, for: text, hash: hash, padding: .pss) == (hash == .sha256))
      #expect(
        !key.isValidSignature(pkcs1, for: text, hash: hash, padding: .pss)
          && !key.isValidSignature(pss, for: text, hash: hash, padding: .pkcs1))
    }
  }

  @Test func `RSA signatures with a padding that is not quite right are refused`() throws {
    let key = try rsa()
    for (why, signature) in SampleSignatures.badPKCS1 {
      #expect(!key.isValidSignature(try bytes(signature), for: text, hash: .sha256, padding: .pkcs1), "\(why)")
    }
    for (why, signature) in SampleSignatures.badPSS {
      #expect(!key.isValidSignature(try bytes(signature), for: text, hash: .sha256, padding: .pss), "\(why)")
    }
  }

  @Test func `an RSA signature is as long as its modulus, with its leading zeros`() throws {
    let sample = SampleSignatures.zeroPSS
    let (key, signature) = (
      try #require(PublicKey(modulus: bytes(sample.modulus), exponent: [1, 0, 1])), try bytes(sample.signature)
    )
    #expect(signature.first == 0)
    #expect(key.isValidSignature(signature, for: text, hash: .sha256, padding: .pss))
    #expect(!key.isValidSignature(Array(signature.dropFirst()), for: text, hash: .sha256, padding: .pss))
    #expect(!key.isValidSignature([0] + signature, for: text, hash: .sha256, padding: .pss))
  }

  @Test func `invalid keys are refused`() throws {
    let modulus = try bytes(SampleSignatures.modulus)
    for exponent in [[], [0], [1], [0, 0, 1], [2], [1, 0, 0], [2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1]] as [[UInt8]] {
      #expect(PublicKey(modulus: modulus, exponent: exponent) == nil, "\(exponent)")
    }
    for exponent in [[3], [0, 0, 3], [1, 0, 1], [1, 0, 0, 0, 1]] as [[UInt8]] {
      #expect(PublicKey(modulus: modulus, exponent: exponent) != nil, "\(exponent)")
    }
    #expect(PublicKey(modulus: [], exponent: [1, 0, 1]) == nil)
    #expect(PublicKey(modulus: modulus.dropLast() + [2], exponent: [1, 0, 1]) == nil, "even")
    let (x, y) = (try bytes(SampleSignatures.standardP256.x), try bytes(SampleSignatures.standardP256.y))
    #expect(PublicKey(.p256, x: y, y: x) == nil, "not on the curve")
    #expect(PublicKey(.p256, x: Array(repeating: 0, count: 32), y: Array(repeating: 0, count: 32)) == nil)
    #expect(PublicKey(.p256, x: Array(repeating: 255, count: 32), y: y) == nil, "not below the prime")
    #expect(PublicKey(.p256, x: x.dropLast(), y: y) == nil && PublicKey(.p384, x: x, y: y) == nil)
    #expect(PublicKey(ed25519: x.dropLast()) == nil && PublicKey(ed25519: x + [0]) == nil)
  }
}
