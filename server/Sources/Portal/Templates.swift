import Mustache

/// The templates, parsed once from the bytes that the build embeds.
struct Templates: Sendable {
  private let library: MustacheLibrary

  /// Parses all templates; throws the engine's error, with the template's name, if one is damaged.
  init() throws {
    // Before parsing, because parsing a template looks up the pragma.
    MustacheContentTypes.register(PageContentType(), named: PageContentType.name)
    let sources: [(name: String, bytes: [UInt8])] = [
      ("layout", PackageResources.layout_mustache), ("shell", PackageResources.shell_mustache),
      ("login", PackageResources.login_mustache), ("home", PackageResources.home_mustache),
      ("error", PackageResources.error_mustache), ("overview", PackageResources.overview_mustache),
      ("ranking", PackageResources.ranking_mustache), ("table", PackageResources.table_mustache),
      ("tiles", PackageResources.tiles_mustache), ("event", PackageResources.event_mustache),
      ("errors", PackageResources.errors_mustache), ("errorgroup", PackageResources.errorgroup_mustache),
      ("occurrence", PackageResources.occurrence_mustache), ("thread", PackageResources.thread_mustache),
      ("errorstatus", PackageResources.errorstatus_mustache), ("stream", PackageResources.stream_mustache),
      ("live", PackageResources.live_mustache), ("dropped", PackageResources.dropped_mustache),
      ("settings", PackageResources.settings_mustache), ("keys", PackageResources.keys_mustache),
      ("arrival", PackageResources.arrival_mustache), ("limits", PackageResources.limits_mustache),
      ("setup", PackageResources.setup_mustache), ("zone", PackageResources.zone_mustache),
      ("empty", PackageResources.empty_mustache), ("lists", PackageResources.lists_mustache),
      ("views", PackageResources.views_mustache), ("management", PackageResources.management_mustache),
      ("plain", PackageResources.plain_mustache), ("top", PackageResources.top_mustache),
      ("question", PackageResources.question_mustache), ("answertable", PackageResources.answertable_mustache),
      ("dayinput", PackageResources.dayinput_mustache), ("builder", PackageResources.builder_mustache),
      ("builderfield", PackageResources.builderfield_mustache),
      ("builderpart", PackageResources.builderpart_mustache),
      ("filterrow", PackageResources.filterrow_mustache),
      ("segmentform", PackageResources.segmentform_mustache), ("trail", PackageResources.trail_mustache),
      ("dashboard", PackageResources.dashboard_mustache), ("card", PackageResources.card_mustache),
      ("dashboardfull", PackageResources.dashboardfull_mustache),
      ("welcome", PackageResources.welcome_mustache), ("shared", PackageResources.shared_mustache),
      ("unsubscribe", PackageResources.unsubscribe_mustache),
    ]
    var library = MustacheLibrary()
    for source in sources {
      let text = PageContentType.pragma + String(decoding: source.bytes, as: UTF8.self)
      try library.register(text, named: source.name)
    }
    self.library = library
  }

  /// Renders a template; returns an empty string if there is none with this name.
  func render(_ name: String, _ values: TemplateValues) -> String {
    library.render(values, withTemplate: name) ?? ""
  }
}
