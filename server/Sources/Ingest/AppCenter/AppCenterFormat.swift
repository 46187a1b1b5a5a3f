import CTernJSON

extension WireFormat {
  /// App Center's protocol: `{"logs":[…]}`. If a log has several devices, the last one counts, because rejecting the
  /// body would cost a stock client its queue.
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
