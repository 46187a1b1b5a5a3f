/// The options of a helper, passed as `name=value` arguments.
struct Options: Sendable {
  var directory = ""
  /// Distinguishes the events of one process from those of another.
  var process = 0
  var threads = 1
  var seed: UInt64 = 0
  var segmentBytes = 4 << 10
  var maximumBytes = 64 << 20
  /// The number of events that each thread appends; 0 for no limit.
  var events = 0
  /// Runs a thread that claims and settles meanwhile.
  var claims = false
  /// Makes the appending threads erase their own complete epochs.
  var erases = false
  /// The milliseconds of uptime that each append adds to real time.
  var step = 0

  init() {}

  init(arguments: some Sequence<String>) {
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = String(parts[1])
      switch parts[0] {
      case "directory": directory = value
      case "process": process = Int(value) ?? 0
      case "threads": threads = Int(value) ?? 1
      case "seed": seed = UInt64(value) ?? 0
      case "segment": segmentBytes = Int(value) ?? segmentBytes
      case "maximum": maximumBytes = Int(value) ?? maximumBytes
      case "events": events = Int(value) ?? 0
      case "claims": claims = value == "true"
      case "erases": erases = value == "true"
      case "step": step = Int(value) ?? 0
      default: break
      }
    }
  }

  var arguments: [String] {
    [
      "directory=\(directory)", "process=\(process)", "threads=\(threads)", "seed=\(seed)", "segment=\(segmentBytes)",
      "maximum=\(maximumBytes)", "events=\(events)", "claims=\(claims)", "erases=\(erases)", "step=\(step)",
    ]
  }
}
