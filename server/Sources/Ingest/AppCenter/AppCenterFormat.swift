import CTernJSON

extension WireFormat {
  /// App Center's protocol: `{"logs":[…]}`. Of several devices in one log the last one counts, since a refused body
  /// would cost a stock client its queue.
  static let appCenter = WireFormat(
    list: "logs",
    record: [
      .text("id", .id), .text("type", .type), .text("name", .name), .value("timestamp", .time), .text("sid", .session),
      .text("userId", .user), .block("device", .device), .properties("properties"),
      .typedProperties("typedProperties"),
    ],
    block: [
      .blockText("osName", .osName), .blockText("osVersion", .osVersion), .blockText("model", .model),
      .blockText("locale", .locale), .blockText("carrierCountry", .carrierCountry), .timeZoneOffset,
      .blockText("sdkName", .sdkName), .blockText("sdkVersion", .sdkVersion), .blockText("appVersion", .appVersion),
      .blockText("appBuild", .appBuild),
    ])
}
