package import Questions
package import Warehouse

extension CatalogEditor {
  /// The filters of an app's segments, for decoding questions.
  package func segmentFilters(app: AppID) throws -> SegmentFilters { try segments(app: app).filters }
}

extension [SavedSegment] {
  /// The filters of the segments, for decoding questions.
  package var filters: SegmentFilters {
    SegmentFilters(Dictionary(map { (Int($0.id), Array<UInt8>($0.filters.utf8)) }, uniquingKeysWith: { $1 }))
  }
}

extension SavedSegment {
  /// True if the filters name installs or users, which some readers may not see. Filters that can't be read may name
  /// anything.
  package var showsPersonalData: Bool {
    (try? SegmentFilters.checked(Array(filters.utf8)))?.showsPersonalData ?? true
  }
}
