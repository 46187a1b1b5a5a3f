import TernBase
import Warehouse

extension ViewReports {
  static let overview = ReportDefinition.breakdown(
    "overview", "Overview", "Users, sessions, screen views and crashes per day and hour, and active users.",
    tables: [.hours], storedFacts: .importedFigures, showsChanges: true
  ) { $0.overview + $0.imported }

  static let screens = ReportDefinition.breakdown(
    "screens", "Screens", "Screens with their views, time, entrances and exits, and by app version.", group: .behavior,
    tables: [.screens, .screenVersions]
  ) {
    [
      $0.screens,
      $0.plain(
        "versions", title: "App versions", ["screen", "app", "version", .views, .unique], $0.rows(.screenVersions)),
    ]
  }

  static let timings = ReportDefinition.breakdown(
    "timings", "Timings", "User timings, on average and by range.", group: .behavior, tables: [.timings]
  ) { [$0.timings] }

  static let social = ReportDefinition.breakdown(
    "social", "Social", "Interactions with social networks.", group: .behavior, tables: [.social]
  ) { [$0.plain("social", ["network", "action", "target", "interactions"], $0.rows(.social))] }

  static let devices = ReportDefinition.breakdown(
    "devices", "Devices", "Models, systems, resolutions, languages and countries.", tables: [.devices]
  ) { $0.devices }

  static let versions = ReportDefinition.breakdown(
    "versions", "App versions", "Apps and their versions, identifiers and installers.",
    tables: [.versions, .applications]
  ) {
    let numbers: [ReportColumn] = [.sessions, screenViews, .crashes]
    return [
      $0.plain("versions", ["app", "version"] + numbers, $0.rows(.versions)),
      $0.plain("applications", title: "Applications", ["application", "installer"] + numbers, $0.rows(.applications)),
    ]
  }

  static let acquisition = ReportDefinition.breakdown(
    "acquisition", "Acquisition", "Sources, media and campaigns of sessions.", tables: [.acquisition]
  ) { [$0.plain("acquisition", ["source", "medium", "campaign", .sessions], $0.rows(.acquisition))] }

  static let screenViews = ReportColumn("screenviews", title: "Screen views", meaning: "How often screens were shown.")
  static let exitCount = ReportColumn("dropOffs", title: "Exits", meaning: "Sessions that ended here.")
  static let exitRate = ReportColumn(
    "dropOffShare", title: "Exit rate", meaning: "The share of sessions that ended here.")
  static let averageTime = ReportColumn(
    "averageMs", title: "Average (mm:ss)", meaning: "The mean of all measured times.")
}

extension ViewBreakdowns {
  fileprivate var overview: [ReportList] {
    let total = metrics.totals
    let days = metrics.days.map { row -> [ReportValue] in
      [
        .day(row.day), .count(row.users), .count(row.newUsers), .count(row.totals.sessions),
        .count(row.totals.screenViews), .count(row.totals.events), .count(row.totals.crashes),
        .text(row.state.rawValue),
      ]
    }
    let totals: [ReportValue] = [
      .count(metrics.users), .count(metrics.newUsers), .count(metrics.returningUsers), .count(total.sessions),
      .count(total.screenViews), .quotient(total.screenViews, total.sessions),
      .averageDuration(total.duration, total.sessions), .share(SaturatingInt64(metrics.newUsers), of: total.sessions),
      .count(total.crashes), .count(total.excessHits),
    ]
    let hours = all(.hours).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    return [
      ReportList(
        "days", title: "Days",
        columns: [
          "date", .users, .newUsers, .sessions, ViewReports.screenViews, .events, .crashes,
          ReportColumn("state", meaning: "Whether the day can still change, or is final."),
        ],
        rows: days, picture: .days([["users", "newUsers"], ["sessions", "screenviews"]])),
      ReportList(
        "totals", title: "Totals",
        columns: [
          .users, .newUsers, .returningUsers, .sessions, ViewReports.screenViews, .screensPerSession,
          ReportColumn(
            "averageSessionMs", title: "Avg. session (mm:ss)",
            meaning:
              "The mean time from the first to the last hit of a session. A pause longer than the view’s session timeout ends it."
          ), ReportColumn("newSessions", meaning: "New users divided by sessions."), .crashes,
          ReportColumn("hitsOverQuota", meaning: "Hits above the limit per session. No other figure includes them."),
        ], rows: [totals]),
      ReportList(
        "actives", title: "Active users", columns: ["days", .users],
        rows: [1, 7, 14, 28].map { [.count($0), .count(metrics.actives[$0] ?? 0)] }),
      ReportList(
        "hours", title: "Hours", columns: ["hour", .sessions, .hits, .users],
        rows: hours.map { [.text($0.key[0]), .count($0.numbers[0]), .count($0.numbers[1]), .count($0.users)] },
        picture: .bars("Hours", ["sessions"], of: .hour)),
    ]
  }

  fileprivate var screens: ReportList {
    ReportList(
      "screens",
      columns: [
        "screen", .views, .unique, .users,
        ReportColumn(
          "timeMs", title: "Time (mm:ss)", meaning: "Time until the next screen. The last screen of a session has none."
        ), ViewReports.averageTime,
        ReportColumn("entrances", meaning: "Sessions that began with this screen."), .exits, .exitShare,
      ],
      rows: rows(.screens).map { row in
        let numbers = row.numbers
        // The duration of a session's last screen view is unknown: it is not part of the average.
        let stayed = numbers[0] - numbers[4]
        return [
          .text(row.key[0]), .count(numbers[0]), .count(numbers[1]), .count(row.users),
          .duration(numbers[2]), .averageDuration(numbers[2], stayed), .count(numbers[5]),
          .count(numbers[4]), .share(numbers[4], of: numbers[0]),
        ]
      })
  }

  fileprivate var timings: ReportList {
    let steps: [ReportColumn] = ["below100Ms", "below500Ms", "below1S", "below3S", "below10S", "longer"]
    return ReportList(
      "timings",
      columns: [
        "category", "variable", "label", ReportColumn("samples", meaning: "The number of measured times."),
        ReportColumn("averageMs", title: "Average ms", meaning: "The mean of all measured times."),
      ] + steps
        + [.users],
      rows: rows(.timings).map { row in
        let average = ReportValue.average(row.numbers[1], row.numbers[0])
        return row.texts + [.count(row.numbers[0]), .count(average)] + row.numbers[2...].map { .count($0) }
          + [.count(row.users)]
      })
  }

  fileprivate var devices: [ReportList] {
    [
      (ReportColumn("model"), "models", "Models"), ("system", "systems", "Systems"),
      ("resolution", "resolutions", "Resolutions"),
      (ReportColumn("language", unit: .code(.languages)), "languages", "Languages"),
      (.country, "countries", "Countries"),
    ].map { dimension, name, title in
      ReportList(
        name, title: title, columns: [dimension, .sessions, .users],
        rows: limited(all(.devices).filter { $0.key[0] == dimension.name }).map {
          [.text($0.key[1]), .count($0.numbers[0]), .count($0.users)]
        })
    }
  }
}
