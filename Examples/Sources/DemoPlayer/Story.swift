import TernEvents

/// The course of the history, as fractions of its days: releases, a campaign, and their effects on people.
struct Story {
  /// The number of days.
  let days: Int

  /// The releases, oldest first.
  enum Release: Int, CaseIterable, Comparable {
    case first, offline, signUp, redesign, repair, checkout

    /// The time of the release; the first one is older than the history.
    var fraction: Double { [-1, 0.08, 0.3, 0.5, 0.6, 0.8][rawValue] }
    var version: String { ["3.0.2", "3.1.0", "3.1.1", "3.2.0", "3.2.1", "3.3.0"][rawValue] }
    var build: String { ["380", "401", "407", "418", "421", "440"][rawValue] }

    static func < (left: Release, right: Release) -> Bool { left.rawValue < right.rawValue }
  }

  /// The days on which an advertisement brings people who soon leave again.
  var campaign: Range<Int> {
    let start = days * 38 / 100
    return start..<max(start + 1, days * 46 / 100)
  }

  /// The release that someone uses on a day, if their updates come some days late.
  func release(day: Int, updateDelay: Int) -> Release {
    Release.allCases.last { Int($0.fraction * Double(days)) + updateDelay <= day } ?? .first
  }

  /// The factor by which people who came on a day use the app more often than others.
  func keenness(firstDay: Int, isFromCampaign: Bool) -> Double {
    if isFromCampaign { return 0.3 }
    return firstDay > Int(Release.signUp.fraction * Double(days)) ? 1.4 : 1
  }
}

/// The circumstances of a visit that decide on its course.
struct Circumstances {
  let release: Story.Release
  let system: String
  /// True for the first visit ever.
  var isFirst = false
  /// True for someone who has bought a subscription, and does not need another.
  var isSubscriber = false

  /// The redesigned player crashes on one version of iOS, until the next release.
  var crashesInPlayer: Bool { release == .redesign && system == "17.5" }
  /// Subtitles are not always found, until a release mends that.
  var missesSubtitles: Bool { release < .repair }
}

extension ExceptionFacts {
  /// The crash of the redesigned player.
  static let decoder = ExceptionFacts(
    type: "EXC_BAD_ACCESS", message: "KERN_INVALID_ADDRESS at 0x0000000000000010",
    frames: [
      Frame(
        className: "HardwareDecoder", methodName: "nextFrame()", fileName: "HardwareDecoder.swift", lineNumber: 214),
      Frame(className: "PlayerView", methodName: "draw(_:)", fileName: "PlayerView.swift", lineNumber: 88),
      Frame(className: "RenderLoop", methodName: "tick()", fileName: "RenderLoop.swift", lineNumber: 41),
    ])

  /// Subtitles that an early release looks for in vain.
  static let subtitles = ExceptionFacts(
    type: "SubtitleError", message: "missing(language: \"en\")",
    frames: [
      Frame(className: "Subtitles", methodName: "load(_:)", fileName: "Subtitles.swift", lineNumber: 61),
      Frame(className: "PlayerView", methodName: "prepare(_:)", fileName: "PlayerView.swift", lineNumber: 37),
    ])

  /// A preview picture that was not loaded, which is shown at the next try.
  static let preview = ExceptionFacts(
    type: "PreviewError", message: "cancelled",
    frames: [Frame(className: "Previews", methodName: "image(for:)", fileName: "Previews.swift", lineNumber: 24)])

  /// A download that failed.
  static let download = ExceptionFacts(
    type: "DownloadError", message: "timedOut(after: 30)",
    frames: [
      Frame(className: "Downloads", methodName: "resume(_:)", fileName: "Downloads.swift", lineNumber: 133),
      Frame(className: "Library", methodName: "keepOffline(_:)", fileName: "Library.swift", lineNumber: 57),
    ])
}
