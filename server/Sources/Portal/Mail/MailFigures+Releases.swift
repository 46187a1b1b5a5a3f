import Outgoing
import Questions
import Reports
import Warehouse

extension MailFigures {
  /// The most releases of a mail.
  private static let maximumReleases = 8

  /// The releases with their differences to the ones before, at equal age.
  func releases(_ answer: ReleasesAnswer, _ empty: MailSection) -> MailSection {
    var section = empty
    section.columns = ["Release", "Users", "Crash-free users", "New errors"] + form.conversions.map(\.conversion.title)
    section.rows = answer.releases.prefix(Self.maximumReleases).map { release in
      let figures = release.figures
      let (before, current) = (release.comparison?.before, release.comparison?.release)
      func text(_ index: Int) -> String {
        let value: String =
          switch figures.conversions[index] {
          case .share(let share): share.value.map { preciseShare($0) } ?? "–"
          case .mean(let mean): ChartFormat.number.text(mean.value)
          }
        guard let before, let current else { return value }
        return value + Self.mark(current.conversions[index].difference(from: before.conversions[index]))
      }
      let crashFree = figures.crashFreeUsers.value.map { preciseShare($0) } ?? "–"
      return .init(
        [
          shown(release.version, limit: 60), grouped(figures.users),
          crashFree + Self.mark(release.comparison?.crashFreeUsers), grouped(release.newErrors.count),
        ] + figures.conversions.indices.prefix(form.conversions.count).map(text))
    }
    section.note =
      (section.note ?? "") + " ↑ and ↓ mark differences to the release before, at equal age, that chance seldom makes."
    return section
  }

  private static func mark(_ difference: Difference?) -> String {
    guard let difference, difference.isClear else { return "" }
    return difference.value > 0 ? " ↑" : " ↓"
  }
}
