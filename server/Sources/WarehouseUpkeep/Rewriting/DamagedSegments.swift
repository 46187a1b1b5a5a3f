import Warehouse

/// The segments that work would have to rewrite, and that have rows that can't be read.
///
/// Such a segment stays as it is: what can't be read may be anyone's, and the disk may give it on another day. Only a rebuild, which
/// the operator asks for, gives such rows up.
struct DamagedSegments: Error {
  private var segments: [UnreadableSegment]

  init(_ segment: UnreadableSegment) { segments = [segment] }

  func adding(_ other: DamagedSegments) -> DamagedSegments {
    var sum = self
    let known = Set(segments.map(\.number))
    sum.segments += other.segments.filter { !known.contains($0.number) }
    return sum
  }

  /// The error for the person who asked for the work.
  var error: WarehouseError {
    let others = segments.dropFirst()
    let place = others.count == 1 ? "another file" : "\(grouped(others.count)) other files"
    let more =
      others.isEmpty ? "" : " \(grouped(others.reduce(0) { $0 + $1.count })) more can't be read in \(place)."
    return WarehouseError(
      .damaged,
      """
      \(segments[0])\(more) Nothing in \(others.isEmpty ? "this file" : "these files") was removed or changed, because what can't be \
      read may be anyone's. Check the disk, then restore a backup; or stop the server and run `tern rebuild`, which removes these \
      events and keeps all others.
      """)
  }
}
