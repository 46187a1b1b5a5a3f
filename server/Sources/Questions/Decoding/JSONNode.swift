/// A value of a question's JSON, with its path. Every method throws a fault that names the path.
struct JSONNode {
  let value: JSONTree
  let path: String
  /// The segments that filters may name.
  var segments = SegmentFilters()

  func fault(_ message: String) -> QuestionError { QuestionError(message, at: path) }

  /// The members by name, after checking that the names are known and given once.
  func members(_ known: [String]) throws(QuestionError) -> JSONMembers {
    guard case .object(let members) = value else { throw fault("Expected an object.") }
    var nodes: [String: JSONNode] = [:]
    for member in members {
      let node = JSONNode(value: member.value, path: "\(path).\(member.name)", segments: segments)
      guard known.contains(member.name) else {
        throw node.fault("There is no member of this name here; possible are \(known.joined(separator: ", ")).")
      }
      guard nodes.updateValue(node, forKey: member.name) == nil else { throw node.fault("This member is given twice.") }
    }
    return JSONMembers(object: self, nodes: nodes)
  }

  /// The elements of an array with an allowed number of them.
  func elements(_ allowed: ClosedRange<Int>) throws(QuestionError) -> [JSONNode] {
    guard case .array(let elements) = value else { throw fault("Expected an array.") }
    guard allowed.contains(elements.count) else {
      throw fault("Expected \(allowed.lowerBound) to \(allowed.upperBound) elements, not \(elements.count).")
    }
    return elements.enumerated().map { JSONNode(value: $1, path: "\(path)[\($0)]", segments: segments) }
  }

  /// The elements of an array, each decoded.
  func list<Element>(
    _ allowed: ClosedRange<Int>, _ decode: (JSONNode) throws(QuestionError) -> Element
  ) throws(QuestionError) -> [Element] {
    var list: [Element] = []
    for node in try elements(allowed) { list.append(try decode(node)) }
    return list
  }

  func text() throws(QuestionError) -> String {
    guard case .text(let text) = value else { throw fault("Expected a text.") }
    guard text.utf8.count <= 4_096 else { throw fault("The text is longer than 4,096 bytes.") }
    return text
  }

  func boolean() throws(QuestionError) -> Bool {
    guard case .boolean(let flag) = value else { throw fault("Expected true or false.") }
    return flag
  }

  func number() throws(QuestionError) -> Double {
    guard case .number(let number) = value else { throw fault("Expected a number.") }
    return number
  }

  func integer(_ allowed: ClosedRange<Int>) throws(QuestionError) -> Int {
    guard case .number(let number) = value, let integer = Int(exactly: number), allowed.contains(integer) else {
      throw fault("Expected a whole number from \(allowed.lowerBound) to \(allowed.upperBound).")
    }
    return integer
  }
}

/// The members of an object.
struct JSONMembers {
  let object: JSONNode
  let nodes: [String: JSONNode]

  /// A member that may be missing; `null` counts as missing.
  func optional(_ name: String) -> JSONNode? { nodes[name].flatMap { $0.value == .null ? nil : $0 } }

  /// A member that must be there.
  func required(_ name: String) throws(QuestionError) -> JSONNode {
    guard let node = optional(name) else { throw object.fault("The member \"\(name)\" is missing.") }
    return node
  }
}
