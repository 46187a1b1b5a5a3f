import Reports

/// The pages that are found by what they are about. A new one is a line here.
package enum PageList {
  /// The pages of reports with charts and details of their own. All other reports have the page of rankings or of lists.
  static let reports: [any CustomReportPage.Type] = [
    OverviewPage.self, EventPage.self, ErrorsPage.self, ErrorGroupPage.self, LivePage.self, DroppedPage.self,
  ]

  /// The pages of an app that their address alone opens.
  package static let app: [any AppPage.Type] = settings + [ViewsPage.self, FindPage.self]

  /// The pages of an app's settings, in the order of their tabs.
  static let settings: [any AppPage.Type] = [
    AppSettingsPage.self, SetupPage.self, SegmentsPage.self, AnnotationsPage.self, AlertsPage.self,
    MailReportsPage.self,
    LinksPage.self, ErrorGroupsPage.self, LimitsPage.self,
  ]
}
