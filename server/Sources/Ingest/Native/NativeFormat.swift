import CTernJSON

extension WireFormat {
  /// Tern's own protocol: one object per line, an event or a context for the events after it. A second device in one
  /// event is a client's mistake and makes it malformed.
  static let native = WireFormat(
    record: [
      .text("id", .id), .text("type", .type), .text("name", .name), .value("time", .time), .text("user", .user),
      .text("boot", .boot), .value("uptime", .uptime), .text("install", .install), .text("session", .session),
      .block("device", .device), .block("app", .app), .properties("properties"),
      .context("context"),
    ],
    block: [
      .blockText("osName", .osName), .blockText("osVersion", .osVersion), .blockText("model", .model),
      .blockText("locale", .locale), .blockText("country", .country), .timeZoneOffset,
      .blockText("sdkName", .sdkName), .blockText("sdkVersion", .sdkVersion), .blockText("version", .appVersion),
      .blockText("build", .appBuild), .blockText("appVersion", .appVersion), .blockText("appBuild", .appBuild),
    ],
    rejectsSecondBlock: true)
}
