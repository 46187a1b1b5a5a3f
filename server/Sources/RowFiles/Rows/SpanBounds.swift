import ServerBase

/// The times and apps of the rows of a span.
package struct SpanBounds {
  private var earliest = Int64.max
  private var latest = Int64.min
  private var apps: Set<Int64> = []
  private var lastApp = Int64.min

  package init() {}

  @inline(__always)
  package mutating func add(app: Int64, time: Int64) {
    earliest = min(earliest, time)
    latest = max(latest, time)
    if app != lastApp {
      apps.insert(app)
      lastApp = app
    }
  }

  /// The bounds of the times; zero if there are no rows.
  package var times: ClosedRange<Int64> { earliest <= latest ? earliest...latest : 0...0 }

  /// The apps as the table `span` stores them.
  package var encodedApps: [UInt8] {
    var bytes: [UInt8] = []
    for app in apps.sorted() { bytes.appendVarint(UInt64(bitPattern: app)) }
    return bytes
  }
}
