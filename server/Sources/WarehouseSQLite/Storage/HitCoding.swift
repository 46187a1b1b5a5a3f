import Ingest
import ServerBase
import Warehouse

/// The stored form of a hit's parameters.
///
/// They are not properties, so that the protocol's thousands of parameter names don't enter the property counts.
enum HitCoding {
  static func encoded(_ parameters: [HitParameter]) -> [UInt8] {
    var bytes: [UInt8] = []
    for parameter in parameters {
      bytes.append(text: parameter.name)
      bytes.append(text: parameter.value)
    }
    return bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) -> [HitParameter] {
    var reader = ByteReader(bytes)
    var parameters: [HitParameter] = []
    while !reader.isAtEnd {
      guard let name = reader.text(), let value = reader.text() else { break }
      parameters.append(HitParameter(name: name, value: value))
    }
    return parameters
  }
}
