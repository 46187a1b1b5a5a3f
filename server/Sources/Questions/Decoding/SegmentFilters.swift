/// The filters of an app's saved segments, by number.
///
/// Decoding replaces a segment by its filters, so that evaluators and answers never see one.
package struct SegmentFilters: Sendable {
  /// The most bytes of a segment's filters.
  package static let maximumBytes = 16 << 10
  /// The most open brackets at one place of a segment's filters. A question that uses the segment must be able to nest it
  /// and still be shorter than what can be asked again.
  static let maximumDepth = 12

  /// The number of a segment.
  static let number = JSONCodec<Int>.integer(1...Schema.largestInteger)

  private let json: [Int: [UInt8]]

  /// Creates the segments of an app from their filters as JSON.
  package init(_ json: [Int: [UInt8]] = [:]) { self.json = json }

  /// Returns the filter that a segment stands for.
  ///
  /// - Parameter node: The number of the segment; faults name its path.
  func filter(_ node: JSONNode) throws(QuestionError) -> QuestionFilter {
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
  private static func filters(_ node: JSONNode) throws(QuestionError) -> [QuestionFilter] {
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
    try checked(JSONNode(value: try JSONTree(parsing: json), path: "$"))
  }

  /// Decodes an object with the `name` and the `filters` of a segment, and checks the filters.
  package static func named(json: [UInt8]) throws(QuestionError) -> (name: String, filters: Checked) {
    let node = JSONNode(value: try JSONTree(parsing: json), path: "$")
    let members = try node.members(["name", "filters"])
    return (try members.required("name").text(), try checked(try members.required("filters")))
  }

  private static func checked(_ node: JSONNode) throws(QuestionError) -> Checked {
    let filters = try filters(node)
    let json = JSONTree.array(filters.map(\.json)).encoded
    guard json.count <= maximumBytes else {
      throw node.fault("The filters have \(json.count) bytes; at most \(maximumBytes) are allowed.")
    }
    let dimensions = filters.flatMap(\.dimensions)
    return Checked(json: json, showsPersonalData: dimensions.contains(where: \.isPersonal))
  }
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
