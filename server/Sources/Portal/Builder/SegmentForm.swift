import JSON
import Questions
import Reports
package import Warehouse

/// The form that creates or changes a segment.
package struct SegmentForm: Sendable {
  /// The number of the segment; `nil` for a new one.
  package var id: Int64?
  package var name = ""
  var rows: [FilterRow] = []
  var conditions: [SegmentCondition] = []
  /// The filters that the rows of a form can't show. They are kept until someone removes them.
  var others: [JSONTree] = []

  package init() {}

  package init(_ segment: SavedSegment) {
    (id, name) = (segment.id, segment.name)
    let filters = FilterRows(json: segment.filters)
    rows = filters.rows
    for filter in filters.others {
      if let condition = SegmentCondition(filter), conditions.count < SegmentCondition.numbers.count {
        conditions.append(condition)
      } else {
        others.append(filter)
      }
    }
  }

  /// The form as it was sent.
  ///
  /// - Parameter segment: The segment that it changes, with the filters that the form has no fields for.
  package init(_ fields: [String: String], changing segment: SavedSegment? = nil) {
    if let segment { others = SegmentForm(segment).others }
    others = others.enumerated().filter { fields["keep\($0.offset + 1)"] != nil }.map(\.element)
    (id, name) = (segment?.id, fields["name"] ?? "")
    rows = FilterRow.rows(FormFields.joined(fields))
    conditions = SegmentCondition.numbers.compactMap { SegmentCondition($0, fields) }
    others += FilterRows.parsed(fields["filters"])
  }

  /// The filters as JSON.
  package var filters: [UInt8] {
    JSONTree.array(rows.map(\.json) + conditions.map(\.json) + others).encoded
  }

  /// The first mistake of the form, in words; `nil` if it has at least one filter and all are right.
  package var fault: String? {
    if rows.isEmpty && conditions.isEmpty && others.isEmpty { return "Choose at least one condition." }
    if let fault = rows.lazy.compactMap(\.fault).first { return fault }
    if conditions.contains(where: { !(1...1_000_000_000).contains($0.count) }) {
      return "Enter how often: a number from 1."
    }
    let isLimited = conditions.allSatisfy { (1...QuestionRange.maximumDays).contains($0.days ?? 1) }
    return isLimited ? nil : "Enter a number of days from 1 to \(grouped(QuestionRange.maximumDays))."
  }

  /// The values of the template.
  ///
  /// - Parameter hints: What hides nothing and is said beside its field, by the field's name.
  func values(_ links: PortalLinks, hints: [String: String]) -> TemplateValues {
    [
      "heading": id == nil ? "New segment" : "Change \(shown(name))", "address": links.page(.segments),
      "action": id == nil ? "create" : "change", "number": id?.description, "name": name,
      "button": id == nil ? "Create" : "Save",
      "values": links.values, "properties": links.properties, "dimensions": Builder.dimensions,
      "rows": rows.enumerated().map { FilterRows.fields($0 + 1, $1, fault: $1.fault ?? hints["f\($0 + 1)"]) },
      "conditions": conditions.enumerated().map { SegmentCondition.fields($0 + 1, $1, fault: hints["n\($0 + 1)"]) },
      "kept": others.enumerated().map { index, other -> TemplateValues in
        ["field": "keep\(index + 1)", "words": FilterRows.words(other)]
      },
      "blank": FilterRows.fields(rows.count + 1, nil),
      "blankCondition": SegmentCondition.fields(conditions.count + 1, nil),
      "cancel": id == nil ? nil : links.page(.segments), "builderScript": PortalAssets.link("builder.js"),
    ]
  }
}
