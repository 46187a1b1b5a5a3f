/// The level of a log line.
package enum MeasurementLogLevel: Int, Sendable, Comparable {
  case error = 1
  case warning, info, verbose

  package static func < (left: MeasurementLogLevel, right: MeasurementLogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
