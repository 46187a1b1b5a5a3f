import CTernZlib
import Ingest
import TernEvents
import Testing

/// Compresses with zlib; `windowBits` chooses gzip (31), zlib (15) or neither (-15).
func deflated(_ bytes: [UInt8], windowBits: Int32 = 31) throws -> [UInt8] {
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  stream.initialize(to: z_stream())
  defer { stream.deallocate() }
  var output = [UInt8](repeating: 0, count: bytes.count + 1024)
  var input = bytes
  let size = Int32(MemoryLayout<z_stream>.size)
  let status = deflateInit2_(stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
  guard status == Z_OK else { throw TestFailure() }
  defer { deflateEnd(stream) }
  return try input.withUnsafeMutableBufferPointer { input in
    try output.withUnsafeMutableBufferPointer { output in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = UInt32(input.count)
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      guard deflate(stream, Z_FINISH) == Z_STREAM_END else { throw TestFailure() }
      return Array(output[..<(output.count - Int(stream.pointee.avail_out))])
    }
  }
}

@Suite struct BodyDecoderTests {
  private let text = Array(String(repeating: #"{"logs":[{"type":"event"}]} "#, count: 300).utf8)

  private func decode(_ body: [UInt8], _ encoding: String?, limits: IngestLimits = IngestLimits()) throws -> [UInt8] {
    try BodyDecoder.decode(body, encoding: encoding, limits: limits)
  }

  @Test(arguments: [nil, "", "identity", "IDENTITY", " identity "])
  func `a body with identity encoding stays unchanged`(name: String?) throws {
    #expect(try decode(text, name) == text)
    #expect(try decode([], name) == [])
  }

  @Test(
    arguments: [
      ("gzip", 31), ("GZip", 31), ("x-gzip", 31), (" gzip\t", 31), ("deflate", 15), ("Deflate", -15),
    ] as [(String, Int32)]) func `compressed bodies are decoded`(name: String, windowBits: Int32) throws
  {
    #expect(try decode(try deflated(text, windowBits: windowBits), name) == text)
    #expect(try decode(try deflated([], windowBits: windowBits), name) == [])
    var generator = SplitMix64(seed: 7)
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(try decode(try deflated(noise, windowBits: windowBits), name) == noise)
  }

  @Test func `several gzip members form one body`() throws {
    let body = try deflated(Array(text[..<100])) + deflated([]) + deflated(Array(text[100...]))
    #expect(try decode(body, "gzip") == text)
  }

  @Test func `a damaged or truncated body is rejected`() throws {
    for bits: Int32 in [31, 15] {
      let name = bits == 31 ? "gzip" : "deflate"
      let body = try deflated(text, windowBits: bits)
      for end in 0..<body.count {
        let error = #expect(throws: IngestError.self) { try decode(Array(body[..<end]), name) }
        #expect(error?.code == .incomplete)
      }
      var flipped = body
      flipped[body.count - 3] ^= 1
      let error = #expect(throws: IngestError.self) { try decode(flipped, name) }
      #expect(error?.code == .undecodable)
    }
    for name in ["br", "gzip, gzip", "zstd"] {
      #expect(throws: IngestError.self) { try decode(text, name) }
    }
  }

  @Test func `data after a body with a valid checksum is ignored`() throws {
    let rests: [[UInt8]] = [[0], Array(repeating: 0, count: 5_000), Array("\r\n".utf8), [0x1F], [0x1F, 0x8C, 8], text]
    for rest in rests {
      #expect(try decode(try deflated(text) + rest, "gzip") == text)
      #expect(try decode(try deflated(text) + deflated([]) + deflated(text) + rest, "gzip") == text + text)
      #expect(try decode(try deflated(text, windowBits: 15) + rest, "deflate") == text)
      let error = #expect(throws: IngestError.self) {
        try decode(try deflated(text, windowBits: -15) + rest, "deflate")
      }
      #expect(error?.code == .undecodable)
    }
    // Data that starts like another gzip member is decoded as one.
    let second = try deflated(text)
    for (rest, code) in [
      (Array(second.dropLast()), .incomplete), ([0x1F, 0x8B, 9, 0, 0, 0, 0, 0, 0, 0], .undecodable),
    ] as [([UInt8], IngestError.Code)] {
      let error = #expect(throws: IngestError.self) { try decode(try deflated(text) + rest, "gzip") }
      #expect(error?.code == code)
    }
  }

  @Test func `size limits are exact to the byte`() throws {
    let noise = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    for (limit, isAllowed) in [(4999, false), (5000, true), (5001, true)] {
      let limits = IngestLimits(maximumDecompressedBytes: limit)
      for (body, name) in [(noise, nil), (try deflated(noise), "gzip")] as [([UInt8], String?)] {
        if isAllowed {
          #expect(try decode(body, name, limits: limits) == noise)
        } else {
          let error = #expect(throws: IngestError.self) { try decode(body, name, limits: limits) }
          #expect(error?.code == .tooLarge)
        }
      }
    }
    let error = #expect(throws: IngestError.self) { try decode(noise, nil, limits: IngestLimits(maximumBodyBytes: 10)) }
    #expect(error?.code == .tooLarge)
  }

  @Test func `an attachment of zeros is accepted, so that a client keeps its queue`() throws {
    let zeros = [UInt8](repeating: 0x41, count: 9 << 20)
    #expect(try decode(try deflated(zeros), "gzip", limits: .appCenter) == zeros)
    let bomb = try deflated([UInt8](repeating: 0x41, count: 64 << 20))
    let error = #expect(throws: IngestError.self) { try decode(bomb, "gzip", limits: .appCenter) }
    #expect(error?.code == .tooLarge)
  }

  @Test func `a bomb is rejected before its output exceeds the limit`() throws {
    let bomb = try deflated([UInt8](repeating: 0x20, count: 64 << 20))
    for limits in [IngestLimits(), IngestLimits(maximumDecompressedBytes: 1 << 30)] {
      let error = #expect(throws: IngestError.self) { try decode(bomb, "gzip", limits: limits) }
      #expect(error?.code == .tooLarge)
    }
  }
}
