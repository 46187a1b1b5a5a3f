import Ingest
import TernEvents

extension FuzzTarget {
  /// Compressed bodies of Tern's own protocol: a byte that chooses the encoding, and the body.
  ///
  /// Checksums stop most changed bodies of gzip and zlib; `deflate` without a wrapper has none.
  static var gzip: FuzzTarget {
    let encodings: [String?] = ["gzip", "deflate", " X-GZIP ", "identity", nil]
    let trial = BatchTrial { input, received in
      guard let first = input.first else { return [] }
      let body = UnsafeRawBufferPointer(rebasing: input.dropFirst())
      do throws(IngestError) {
        return try BodyDecoder.withDecoded(
          body, encoding: encodings[Int(first) % encodings.count], limits: .native
        ) { bytes in nativeBatches(bytes, received) }
      } catch {
        return []
      }
    }
    return FuzzTarget { trial.add($0) }
  }
}
