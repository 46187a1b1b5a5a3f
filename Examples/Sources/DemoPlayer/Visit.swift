import TernEvents

/// The steps of one session.
struct Visit {
  enum Step {
    case screen(String)
    case event(String, Properties, Priority)
    /// The milliseconds until the next step.
    case wait(Int)
  }

  private(set) var steps: [Step] = []

  /// Generates a visit: a walk through the app's screens, with their events.
  init(using generator: inout FastGenerator) {
    steps.append(.screen("Library"))
    wait(2...12, &generator)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<58: play(&generator)
      case 58..<76: search(&generator)
      case 76..<86: download(&generator)
      case 86..<93: share(&generator)
      default: subscribe(&generator)
      }
    }
  }

  private mutating func play(_ generator: inout FastGenerator) {
    let category = Category.all.weighted(&generator).name
    let length = Double(Int.random(in: 300...36_000, using: &generator)) / 10
    steps.append(.screen("Player"))
    steps.append(
      .event(
        "Video clicked",
        ["Category": category, "Length": length, "HD": Bool.random(using: &generator)], .normal)
    )
    wait(20...400, &generator)
    if Int.random(in: 0..<100, using: &generator) < 12 {
      let milliseconds = Int64.random(in: 200...9_000, using: &generator)
      steps.append(.event("Playback stalled", ["Milliseconds": milliseconds / 500 * 500], .normal))
      wait(2...8, &generator)
    }
    if Int.random(in: 0..<100, using: &generator) < 62 {
      steps.append(.event("Video finished", ["Category": category], .normal))
    }
    if Int.random(in: 0..<100, using: &generator) < 18 {
      steps.append(.event("Favourite added", ["Category": category], .normal))
    }
    steps.append(.screen("Library"))
    wait(2...20, &generator)
  }

  private mutating func search(_ generator: inout FastGenerator) {
    steps.append(.screen("Search"))
    let words = ["jazz", "news", "cooking", "football", "piano", "travel"]
    let results = Int64.random(in: 0...40, using: &generator)
    let word = words[Int.random(in: 0..<words.count, using: &generator)]
    steps.append(.event("Search", ["Text": word, "Results": results / 10 * 10], .normal))
    wait(5...30, &generator)
  }

  private mutating func download(_ generator: inout FastGenerator) {
    let quality = ["720p", "1080p", "4K"][Int.random(in: 0..<3, using: &generator)]
    steps.append(.event("Download started", ["Quality": quality], .normal))
    wait(10...90, &generator)
    let failed = Int.random(in: 0..<100, using: &generator) < 7
    steps.append(.event(failed ? "Download failed" : "Download finished", ["Quality": quality], .normal))
  }

  private mutating func share(_ generator: inout FastGenerator) {
    let target = ["Messages", "Mail", "Link"][Int.random(in: 0..<3, using: &generator)]
    steps.append(.event("Video shared", ["Target": target], .normal))
    wait(3...15, &generator)
  }

  private mutating func subscribe(_ generator: inout FastGenerator) {
    steps.append(.screen("Subscribe"))
    wait(10...60, &generator)
    if Int.random(in: 0..<100, using: &generator) < 35 {
      let plan = Int.random(in: 0..<3, using: &generator) == 0 ? "Yearly" : "Monthly"
      let total = plan == "Yearly" ? 49.99 : 4.99
      steps.append(.event("Purchase", ["Plan": plan, "Total": total], .critical))
    }
    steps.append(.screen("Library"))
  }

  private mutating func wait(_ seconds: ClosedRange<Int>, _ generator: inout FastGenerator) {
    steps.append(.wait(Int.random(in: seconds.lowerBound * 1_000...seconds.upperBound * 1_000, using: &generator)))
  }
}

private struct Category: Weighted {
  let weight: Double
  let name: String

  static let all = [
    Category(weight: 42, name: "Music"), Category(weight: 25, name: "Film"), Category(weight: 18, name: "Sport"),
    Category(weight: 10, name: "News"), Category(weight: 5, name: "Cooking"),
  ]
}
