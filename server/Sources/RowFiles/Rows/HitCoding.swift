package import Ingest
import ServerBase
import Warehouse

/// The stored form of a hit's parameters.
///
/// They are not properties, so that the protocol's thousands of parameter names don't enter the property counts.
package enum HitCoding {
  package static func encoded(_ parameters: [HitParameter]) -> [UInt8] {
    var bytes: [UInt8] = []
    for parameter in parameters {
      bytes.append(text: parameter.name)
      bytes.append(text: parameter.value)
    }
    return bytes
  }

  package static func decode(_ bytes: UnsafeRawBufferPointer) -> [HitParameter] {
    var parameters: [HitParameter] = []
    forEach(bytes) { name, value in
      parameters.append(
        HitParameter(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
    }
    return parameters
  }

  /// Calls `body` with the UTF-8 of each parameter's name and value, up to the first invalid one.
  package static func forEach(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let nameCount = reader.varint(), let name = reader.bytes(Int(clamping: nameCount)),
        let valueCount = reader.varint(), let value = reader.bytes(Int(clamping: valueCount))
      else { return }
      body(name, value)
    }
  }
}
