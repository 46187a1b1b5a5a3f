package import JSON
package import Warehouse

/// The filters of an app's saved segments, by number.
///
/// Decoding replaces a segment by its filters, so that evaluators and answers never see one.
package struct SegmentFilters: Sendable {
  /// The most bytes of a segment's filters.
  package static let maximumBytes = 16 << 10
  /// The most open brackets at one place of a segment's filters. A question that uses the segment must be able to nest it
  /// and still be shorter than what can be asked again.
  static let maximumDepth = 12

  static let number = JSONCodec<Int>.integer(1...Schema.largestInteger)

  private let json: [Int: [UInt8]]

  /// Creates the segments of an app from their filters as JSON.
  package init(_ json: [Int: [UInt8]] = [:]) { self.json = json }

  /// Returns the filter that a segment stands for.
  ///
  /// - Parameter node: The number of the segment; faults name its path.
  func filter(_ node: JSONNode) throws(JSONFault) -> QuestionFilter {
    let number = try Self.number.decode(node)
    guard let json = json[number] else { throw node.fault("This app has no segment \(number).") }
    do {
      return .all(try Self.filters(JSONNode(value: try JSONTree(parsing: json), path: "$")))
    } catch {
      throw node.fault("Segment \(number) can't be read: \(error.message)")
    }
  }

  private static let list = JSONCodec<[QuestionFilter]>.list(.filter(of: .segment), 1...QuestionFilter.maximumCount)

  /// Decodes the filters of a segment: a list with at least one. Another segment can't be among them, so that no two can
  /// depend on each other.
  private static func filters(_ node: JSONNode) throws(JSONFault) -> [QuestionFilter] {
    guard node.value.depth <= maximumDepth else {
      throw node.fault("The filters are nested more than \(maximumDepth) levels deep.")
    }
    return try list.decode(node)
  }
}

extension SegmentFilters {
  /// The filters of a new segment after a check of their form.
  package struct Checked: Sendable {
    /// Compact JSON with every default.
    package var json: [UInt8]
    /// True if the filters name installs or users, which some readers may not see.
    package var showsPersonalData: Bool
  }

  /// Checks the filters of a segment; throws a fault that names the JSON path.
  package static func checked(_ json: [UInt8]) throws(QuestionError) -> Checked {
    try QuestionError.reading { () throws(JSONFault) in try checked(JSONNode(value: try JSONTree(parsing: json))) }
  }

  fileprivate static func checked(_ node: JSONNode) throws(JSONFault) -> Checked {
    let filters = try filters(node)
    let json = JSONTree.array(filters.map(\.json)).encoded
    guard json.count <= maximumBytes else {
      throw node.fault("The filters have \(json.count) bytes; at most \(maximumBytes) are allowed.")
    }
    let dimensions = filters.flatMap(\.dimensions)
    return Checked(json: json, showsPersonalData: dimensions.contains(where: \.isPersonal))
  }
}

extension SavedSegment {
  package static let members: [JSONMember<SavedSegment>] = [
    .shown("id", .count) { .integer($0.id) },
    .required("name", \.name, .text.specified(.text(1...100))),
    .required("filters", \.filters, storedFilters),
    .shown("author", .text.described("The account or token that made the last change.")) { .text($0.author) },
    .shown("changed", .time) { .time($0.changed) },
  ]

  /// Filters as they are stored: compact JSON with every default.
  private static let storedFilters = JSONCodec<String>(
    .list(.named(FilterPlace.segment.rawValue), 1...QuestionFilter.maximumCount)
  ) { node throws(JSONFault) in
    String(decoding: try SegmentFilters.checked(node).json, as: UTF8.self)
  } encode: {
    (try? JSONTree(parsing: Array($0.utf8))) ?? .null
  }
}

extension JSONNode {
  /// The segments that filters may name.
  var segments: SegmentFilters { context as? SegmentFilters ?? SegmentFilters() }
}

extension JSONTree {
  /// The most open brackets at one place.
  var depth: Int {
    switch self {
    case .null, .boolean, .number, .text: 0
    case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    }
  }
}
