import TernSimulator

/// The command-line arguments.
struct Arguments {
  static let usage = """
    Usage: simulate [--days N | --devices N] [--seed N] [--trace] [--keep-going] 
                    [--only RULE] [--outage-limit RATIO]

      --days N              simulates devices until their lives add up to N days (default 1000)
      --devices N           simulates N devices
      --seed N              the seed of the first device; each further one adds 1 (default: random)
      --trace               prints each device's story
      --keep-going          continues after a broken promise and lists all of them at the end
      --outage-limit RATIO  fails if more bytes are wasted for each byte queued (default: only measured)
      --only RULE           checks only this rule, such as accounts; can be repeated
    """

  var seed: UInt64
  var days = 1000.0
  var devices = Int.max
  var tells = false
  var keepsGoing = false
  var options = SimulatedDevice.Options()

  /// Returns `nil` if the arguments are invalid.
  init?(_ words: [String]) {
    var generator = SystemRandomNumberGenerator()
    // Short, so that it is easy to retype.
    seed = generator.next(upperBound: UInt64(1_000_000_000))
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--trace": tells = true
      case "--keep-going": keepsGoing = true
      case "--only":
        guard let rule = rest.popFirst() else { return nil }
        options.rules.insert(rule)
      case "--seed":
        guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        seed = number
      case "--devices":
        guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
        devices = number
        days = .infinity
      case "--days":
        guard let number = rest.popFirst().flatMap({ Double($0) }), number > 0 else { return nil }
        days = number
      case "--outage-limit":
        guard let number = rest.popFirst().flatMap({ Double($0) }) else { return nil }
        options.outageLimit = number
      default: return nil
      }
    }
  }
}
