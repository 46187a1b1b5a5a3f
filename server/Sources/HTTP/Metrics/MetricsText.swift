/// Writes Prometheus's text format (exposition format 0.0.4).
package struct MetricsText {
  private(set) var text = ""

  /// Starts a family of samples.
  mutating func family(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  /// Adds a family of one sample.
  package mutating func single(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
    family(name, type, help)
    sample(name, [], value)
  }

  /// Adds one sample; label values may contain anything.
  package mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: some CustomStringConvertible)
  {
    text += name
    if !labels.isEmpty {
      text += "{\(labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ","))}"
    }
    text += " \(value)\n"
  }

  /// Adds a histogram's samples: cumulative buckets, sum and count.
  mutating func histogram(_ name: String, _ histogram: Histogram, labels: [(String, String)] = []) {
    var total = 0
    for (bound, count) in zip(Histogram.bounds, histogram.counts) {
      total += count
      sample("\(name)_bucket", labels + [("le", "\(bound)")], total)
    }
    total += histogram.counts.last ?? 0
    sample("\(name)_bucket", labels + [("le", "+Inf")], total)
    sample("\(name)_sum", labels, histogram.sum)
    sample("\(name)_count", labels, total)
  }

  private func escaped(_ value: String) -> String {
    var result = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
