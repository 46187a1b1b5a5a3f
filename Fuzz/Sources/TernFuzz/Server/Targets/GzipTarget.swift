import Ingest
import TernEvents

extension FuzzTarget {
  /// Compressed bodies of Tern's own protocol: a byte that chooses the encoding, and the body.
  ///
  /// Checksums stop most changed bodies of gzip and zlib; `deflate` without a wrapper has none. Therefore most changes are
  /// made to what is compressed.
  static var gzip: FuzzTarget {
    let check = BatchCheck { input, received in
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
    let mutator = TextMutator.json(names: NativeVocabulary.names, values: NativeVocabulary.values)
    return FuzzTarget(changes: 30, mutate: { PackedMutation.mutate($0, $1, $2, $3, mutator) }) {
      check.add($0)
    } finish: {
      check.finish()
    }
  }

  /// The encodings by the first byte of an input.
  static let encodings: [String?] = ["gzip", "deflate", " X-GZIP ", "identity", nil]
}
