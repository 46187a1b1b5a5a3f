import TernEvents

/// The steps of one session.
struct Visit {
  enum Step {
    case screen(String)
    case event(String, Properties, Priority)
    case error(ExceptionFacts)
    /// The end of the process.
    case crash(ExceptionFacts)
    /// The milliseconds until the next step.
    case wait(Int)
  }

  private(set) var steps: [Step] = []
  /// True if someone bought a subscription during the visit, or before.
  private(set) var isSubscriber: Bool

  /// Generates a visit: a walk through the app's screens, with their events.
  init(_ circumstances: Circumstances, using generator: inout FastGenerator) {
    isSubscriber = circumstances.isSubscriber
    if circumstances.isFirst, !signUp(circumstances, &generator) { return }
    steps.append(.screen("Library"))
    wait(2...12, &generator)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<56: if !play(circumstances, &generator) { return }
      case 56..<74: search(&generator)
      case 74..<84: download(&generator)
      case 84..<90: share(&generator)
      default: if !isSubscriber { subscribe(circumstances, &generator) }
      }
    }
  }

  /// The first steps in the app; false if they are the last ones.
  private mutating func signUp(_ circumstances: Circumstances, _ generator: inout FastGenerator) -> Bool {
    steps.append(.screen("Welcome"))
    wait(3...40, &generator)
    guard chance(86, &generator) else { return false }
    steps.append(.screen("Sign up"))
    wait(10...90, &generator)
    // Since one of the releases, an account needs only a tap.
    guard chance(circumstances.release >= .signUp ? 82 : 58, &generator) else { return chance(30, &generator) }
    let method = ["Apple", "Google", "Mail"][Int.random(in: 0..<3, using: &generator)]
    steps.append(.event("Account created", ["Method": method], .normal))
    wait(2...10, &generator)
    return true
  }

  /// Plays a video; false if the app crashed.
  private mutating func play(_ circumstances: Circumstances, _ generator: inout FastGenerator) -> Bool {
    let category = Category.all.weighted(&generator).name
    let length = Double(Int.random(in: 300...36_000, using: &generator)) / 10
    steps.append(.screen("Player"))
    steps.append(
      .event(
        "Video clicked",
        ["Category": category, "Length": length, "HD": Bool.random(using: &generator)], .normal)
    )
    wait(20...400, &generator)
    if circumstances.crashesInPlayer, chance(30, &generator) {
      steps.append(.crash(.decoder))
      return false
    }
    if circumstances.missesSubtitles, chance(2, &generator) { steps.append(.error(.subtitles)) }
    if chance(12, &generator) {
      let milliseconds = Int64.random(in: 200...9_000, using: &generator)
      steps.append(.event("Playback stalled", ["Milliseconds": milliseconds / 500 * 500], .normal))
      wait(2...8, &generator)
    }
    if chance(62, &generator) { steps.append(.event("Video finished", ["Category": category], .normal)) }
    if chance(18, &generator) { steps.append(.event("Favourite added", ["Category": category], .normal)) }
    steps.append(.screen("Library"))
    wait(2...20, &generator)
    return true
  }

  private mutating func search(_ generator: inout FastGenerator) {
    steps.append(.screen("Search"))
    let words = ["jazz", "news", "cooking", "football", "piano", "travel"]
    let results = Int64.random(in: 0...40, using: &generator)
    let word = words[Int.random(in: 0..<words.count, using: &generator)]
    steps.append(.event("Search", ["Text": word, "Results": results / 10 * 10], .normal))
    if chance(3, &generator) { steps.append(.error(.preview)) }
    wait(5...30, &generator)
  }

  private mutating func download(_ generator: inout FastGenerator) {
    let quality = ["720p", "1080p", "4K"][Int.random(in: 0..<3, using: &generator)]
    steps.append(.event("Download started", ["Quality": quality], .normal))
    wait(10...90, &generator)
    let failed = chance(7, &generator)
    if failed { steps.append(.error(.download)) }
    steps.append(.event(failed ? "Download failed" : "Download finished", ["Quality": quality], .normal))
  }

  private mutating func share(_ generator: inout FastGenerator) {
    let target = ["Messages", "Mail", "Link"][Int.random(in: 0..<3, using: &generator)]
    steps.append(.event("Video shared", ["Target": target], .normal))
    wait(3...15, &generator)
  }

  private mutating func subscribe(_ circumstances: Circumstances, _ generator: inout FastGenerator) {
    steps.append(.screen("Subscribe"))
    wait(10...60, &generator)
    if chance(62, &generator) {
      let plan = Int.random(in: 0..<3, using: &generator) == 0 ? "Yearly" : "Monthly"
      steps.append(.event("Plan chosen", ["Plan": plan], .normal))
      steps.append(.screen("Checkout"))
      wait(15...180, &generator)
      // The newest release asks for less.
      if chance(circumstances.release >= .checkout ? 64 : 24, &generator) {
        isSubscriber = true
        steps.append(.event("Purchase", ["Plan": plan, "Total": plan == "Yearly" ? 49.99 : 4.99], .critical))
      } else {
        let reason = ["Price", "Form", "Later"][Int.random(in: 0..<3, using: &generator)]
        steps.append(.event("Checkout cancelled", ["Reason": reason], .normal))
      }
    }
    steps.append(.screen("Library"))
  }

  private func chance(_ percent: Int, _ generator: inout FastGenerator) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
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
