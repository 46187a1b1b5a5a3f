/// A value of a JSON document, with its path. Every method throws a fault that names the path.
package struct JSONNode: Sendable {
  package let value: JSONTree
  package let path: String
  /// A value that decoding depends on besides the document; every part of a document has that of the whole.
  package let context: (any Sendable)?

  package init(value: JSONTree, path: String = "$", context: (any Sendable)? = nil) {
    (self.value, self.path, self.context) = (value, path, context)
  }

  package func fault(_ message: String) -> JSONFault { JSONFault(message, at: path) }

  /// The members by name, after checking that the names are given once, and are known.
  ///
  /// - Parameters:
  ///   - known: The known names.
  ///   - ignored: Names that the object may have besides, for which there is no use.
  package func members(_ known: [String], ignored: [String] = []) throws(JSONFault) -> JSONMembers {
    guard case .object(let members) = value else { throw fault("Expected an object.") }
    var nodes: [String: JSONNode] = [:]
    for member in members {
      let node = JSONNode(value: member.value, path: "\(path).\(member.name)", context: context)
      guard known.contains(member.name) || ignored.contains(member.name) else { throw unknown(member, known: known) }
      guard nodes.updateValue(node, forKey: member.name) == nil else { throw node.fault("This member is given twice.") }
    }
    return JSONMembers(object: self, nodes: nodes)
  }

  package static let maximumTextBytes = 8 << 10

  /// The elements of an array with an allowed number of them.
  package func elements(_ allowed: ClosedRange<Int>) throws(JSONFault) -> [JSONNode] {
    guard case .array(let elements) = value else { throw fault("Expected an array.") }
    guard allowed.contains(elements.count) else {
      throw fault("Expected \(allowed.lowerBound) to \(allowed.upperBound) elements, not \(elements.count).")
    }
    return elements.enumerated().map { JSONNode(value: $1, path: "\(path)[\($0)]", context: context) }
  }

  /// The elements of an array, each decoded.
  package func list<Element>(
    _ allowed: ClosedRange<Int>, _ decode: (JSONNode) throws(JSONFault) -> Element
  ) throws(JSONFault) -> [Element] {
    var list: [Element] = []
    for node in try elements(allowed) { list.append(try decode(node)) }
    return list
  }

  /// A text of at most some bytes, by default those of the longest value that is stored, so that questions can name it.
  package func text(atMost bytes: Int = JSONNode.maximumTextBytes) throws(JSONFault) -> String {
    guard case .text(let text) = value else { throw fault("Expected a text.") }
    guard text.utf8.count <= bytes else { throw fault("The text is longer than \(bytes) bytes.") }
    return text
  }

  package func boolean() throws(JSONFault) -> Bool {
    guard case .boolean(let flag) = value else { throw fault("Expected true or false.") }
    return flag
  }

  package func number() throws(JSONFault) -> Double {
    guard case .number(let number) = value else { throw fault("Expected a number.") }
    return number
  }

  package func integer(_ allowed: ClosedRange<Int>) throws(JSONFault) -> Int {
    guard case .number(let number) = value, let integer = Int(exactly: number), allowed.contains(integer) else {
      throw fault("Expected a whole number from \(allowed.lowerBound) to \(allowed.upperBound).")
    }
    return integer
  }
}

/// The members of an object.
package struct JSONMembers {
  package let object: JSONNode
  package let nodes: [String: JSONNode]

  /// A member that may be missing; `null` counts as missing.
  package func optional(_ name: String) -> JSONNode? { nodes[name].flatMap { $0.value == .null ? nil : $0 } }

  /// A member that must be there.
  package func required(_ name: String) throws(JSONFault) -> JSONNode {
    guard let node = optional(name) else { throw object.fault("The member \"\(name)\" is missing.") }
    return node
  }
}
