import TernEvents

/// A fictional person with a device: their place, their install day and how often they use Demo Player.
struct Profile {
  let number: Int
  let model: String
  let osName: String
  let osVersions: [String]
  let locale: String
  let country: String
  let timeZoneOffsetMinutes: Int
  /// The day of the install in the history; 0 is the first.
  let firstDay: Int
  private let story: Story
  /// The chance of opening the app on a given day, 0…1.
  let keenness: Double
  /// The days between a release and this person's update.
  let updateDelay: Int

  init(number: Int, days: Int, seed: UInt64) {
    self.number = number
    var generator = FastGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    let device = Self.devices.weighted(&generator)
    (model, osName, osVersions) = (device.model, device.osName, device.osVersions)
    story = Story(days: days)
    // Some installed the app before the history begins, some because of the campaign, the rest at any time.
    let origin = Double.random(in: 0..<1, using: &generator)
    let isFromCampaign = (0.45..<0.6).contains(origin)
    let campaignDay = Int.random(in: story.campaign, using: &generator)
    let anyDay = Int.random(in: 0..<max(days, 1), using: &generator)
    firstDay = origin < 0.45 ? 0 : isFromCampaign ? campaignDay : anyDay
    let place = (isFromCampaign ? Self.campaignPlaces : Self.places).weighted(&generator)
    (locale, country, timeZoneOffsetMinutes) = (place.locale, place.country, place.offset)
    let chance = Double.random(in: 0..<1, using: &generator)
    let factor = story.keenness(firstDay: firstDay, isFromCampaign: isFromCampaign)
    keenness = min((0.06 + 0.7 * chance * chance * chance) * factor, 0.9)
    updateDelay = Int.random(in: 0...9, using: &generator)
  }

  /// The circumstances of a visit on a day. A release takes about a week to reach everyone.
  func circumstances(day: Int) -> Circumstances {
    Circumstances(release: story.release(day: day, updateDelay: updateDelay), system: system(day: day))
  }

  private func system(day: Int) -> String {
    osVersions[min(osVersions.count - 1, (day + updateDelay) * osVersions.count / max(story.days + 9, 1))]
  }

  func device(day: Int) -> Device {
    let release = story.release(day: day, updateDelay: updateDelay)
    return Device(
      osName: osName, osVersion: system(day: day), model: model, manufacturer: osName == "Android" ? nil : "Apple",
      locale: locale, country: country, timeZoneOffsetMinutes: timeZoneOffsetMinutes, appVersion: release.version,
      appBuild: release.build, appNamespace: "com.example.demo-player")
  }
}

extension Profile {
  fileprivate struct Hardware: Weighted {
    let weight: Double
    let model: String
    let osName: String
    let osVersions: [String]
  }

  fileprivate struct Place: Weighted {
    let weight: Double
    let locale: String
    let country: String
    let offset: Int
  }

  fileprivate static let devices: [Hardware] = [
    Hardware(weight: 18, model: "iPhone15,2", osName: "iOS", osVersions: ["17.4.1", "17.5"]),
    Hardware(weight: 16, model: "iPhone16,1", osName: "iOS", osVersions: ["17.5", "18.0"]),
    Hardware(weight: 14, model: "iPhone14,5", osName: "iOS", osVersions: ["16.7.2", "17.4.1"]),
    Hardware(weight: 10, model: "iPhone13,2", osName: "iOS", osVersions: ["16.7.2"]),
    Hardware(weight: 8, model: "iPhone12,1", osName: "iOS", osVersions: ["15.8.1", "16.7.2"]),
    Hardware(weight: 8, model: "iPad13,4", osName: "iPadOS", osVersions: ["17.4.1", "17.5"]),
    Hardware(weight: 4, model: "iPad11,6", osName: "iPadOS", osVersions: ["16.7.2"]),
    Hardware(weight: 6, model: "Mac14,2", osName: "macOS", osVersions: ["14.4.1", "14.5"]),
    Hardware(weight: 5, model: "Pixel 8", osName: "Android", osVersions: ["14"]),
    Hardware(weight: 5, model: "SM-S918B", osName: "Android", osVersions: ["13", "14"]),
    Hardware(weight: 2, model: "AppleTV11,1", osName: "tvOS", osVersions: ["17.4"]),
  ]

  fileprivate static let places: [Place] = [
    Place(weight: 24, locale: "en_US", country: "US", offset: -300),
    Place(weight: 14, locale: "pt_BR", country: "BR", offset: -180),
    Place(weight: 11, locale: "de_DE", country: "DE", offset: 60),
    Place(weight: 9, locale: "ja_JP", country: "JP", offset: 540),
    Place(weight: 8, locale: "en_GB", country: "GB", offset: 0),
    Place(weight: 7, locale: "fr_FR", country: "FR", offset: 60),
    Place(weight: 6, locale: "hi_IN", country: "IN", offset: 330),
    Place(weight: 5, locale: "es_MX", country: "MX", offset: -360),
    Place(weight: 4, locale: "it_IT", country: "IT", offset: 60),
    Place(weight: 4, locale: "nl_NL", country: "NL", offset: 60),
    Place(weight: 3, locale: "pl_PL", country: "PL", offset: 60),
    Place(weight: 3, locale: "sv_SE", country: "SE", offset: 60),
    Place(weight: 2, locale: "en_AU", country: "AU", offset: 600),
  ]

  fileprivate static let campaignPlaces: [Place] = [
    Place(weight: 3, locale: "pt_BR", country: "BR", offset: -180),
    Place(weight: 1, locale: "es_MX", country: "MX", offset: -360),
  ]
}

/// A choice whose probability is proportional to its weight.
protocol Weighted {
  var weight: Double { get }
}

extension Array where Element: Weighted {
  func weighted(_ generator: inout FastGenerator) -> Element {
    var rest = Double.random(in: 0..<reduce(0) { $0 + $1.weight }, using: &generator)
    for element in self {
      rest -= element.weight
      if rest < 0 { return element }
    }
    return self[count - 1]
  }
}
