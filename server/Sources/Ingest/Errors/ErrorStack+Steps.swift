extension ErrorStack {
  /// A step that the app took before the error.
  package struct Step: Sendable, Hashable {
    /// The time from the step to the error by the device's clock, in milliseconds, from 0.
    package var age: Int64
    package var text: String
  }

  private static let maximumSteps = 32
  private static let maximumStepBytes = 100
  /// As old as events can be.
  private static let maximumAge: Int64 = 400 * 86_400_000

  /// Reads `{"time":…,"steps":[{"time":…,"text":"…"}]}`; steps without time or text are left out.
  ///
  /// Ages count, because the server may correct the time of the error.
  mutating func readSteps(of event: RawJSON) {
    guard let end = event.member("time")?.integer else { return }
    event.member("steps")?.forEachElement(atMost: Self.maximumSteps) { step in
      guard let time = step.member("time")?.integer,
        let text = step.member("text")?.text(limit: Self.maximumStepBytes), !text.isEmpty
      else { return }
      let (age, overflows) = end.subtractingReportingOverflow(time)
      steps.append(Step(age: overflows ? 0 : min(max(Int64(age), 0), Self.maximumAge), text: text))
    }
  }
}
