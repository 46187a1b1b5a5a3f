/// Translates a hit to the GA4 Measurement Protocol; one hit may become several events.
package struct GA4Translation: Sendable {
  /// An event without its time.
  package struct Event: Sendable, Equatable {
    package var name: String
    package var texts: [String: String] = [:]
    package var numbers: [String: Double] = [:]
    package var items: [GA4Item] = []

    package init(_ name: String) { self.name = name }
  }

  /// The hit's parameters by their wire names.
  let hit: [String: String]

  package init(_ hit: [String: String]) { self.hit = hit }

  /// The hit's events, at least one.
  package var events: [Event] {
    var events = ecommerce
    if let main {
      if let same = events.firstIndex(where: { $0.name == main.name }) {
        // Apps name the event that carries a purchase "Purchase": merge it with the purchase, or it would count twice.
        events[same].texts.merge(main.texts) { own, _ in own }
        events[same].numbers.merge(main.numbers) { own, _ in own }
      } else {
        events.insert(main, at: 0)
      }
    }
    // The hit had neither products nor an event name.
    if events.isEmpty { events.append(Event(Self.name(hit["t"] ?? "hit"))) }
    return events.map(completed)
  }

  /// The event for the hit's type.
  private var main: Event? {
    var event: Event
    switch hit["t"] {
    case "screenview", "appview", "pageview": event = Event("screen_view")
    case "event":
      guard let action = hit["ea"] ?? hit["ec"], !action.isEmpty else { return nil }
      event = Event(Self.name(action))
      event.texts["event_category"] = hit["ec"]
      // Keep the original: the event name has only Latin letters.
      event.texts["event_action"] = hit["ea"]
      event.texts["event_label"] = hit["el"]
      event.numbers["value"] = number("ev")
    case "exception":
      event = Event("exception")
      event.texts["description"] = hit["exd"]
      event.numbers["fatal"] = hit["exf"] == "0" ? 0 : 1
    case "timing":
      event = Event("timing_complete")
      event.texts["name"] = hit["utv"]
      event.texts["event_category"] = hit["utc"]
      event.texts["event_label"] = hit["utl"]
      event.numbers["value"] = number("utt")
    case "social":
      event = Event("share")
      event.texts["method"] = hit["sn"]
      event.texts["content_type"] = hit["sa"]
      event.texts["item_id"] = hit["st"]
    case "transaction": event = order("purchase")
    case "item":
      event = Event("transaction_item")
      event.texts["transaction_id"] = hit["ti"]
      event.texts["currency"] = hit["cu"]
      event.items = [
        GA4Item(id: hit["ic"], name: hit["in"], category: hit["iv"], price: hit["ip"], quantity: hit["iq"])
      ]
    default: event = Event(Self.name(hit["t"] ?? "hit"))
    }
    return event
  }

  /// Adds the fields common to all events of the hit.
  private func completed(_ event: Event) -> Event {
    var event = event
    event.texts["screen_name"] = hit["cd"]
    event.texts["app_version"] = hit["av"]
    for (name, value) in hit {
      if let number = Self.number(in: name, after: "cd") { event.texts["dimension\(number)"] = value }
      if let number = Self.number(in: name, after: "cm") { event.numbers["metric\(number)"] = Double(value) }
      if let number = Self.number(in: name, after: "cg") { event.texts["content_group\(number)"] = value }
    }
    event.texts["campaign"] = hit["cn"]
    event.texts["source"] = hit["cs"]
    // "cm" without a number is the medium; with a number it is a metric.
    event.texts["medium"] = hit["cm"]
    event.texts["term"] = hit["ck"]
    event.texts["content"] = hit["cc"]
    // Without this, GA4 does not count the user as active.
    event.numbers["engagement_time_msec"] = 1
    return event
  }

  func number(_ name: String) -> Double? { hit[name].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil } }

  /// An event with the fields of an order, which are the same in classic and enhanced ecommerce.
  func order(_ name: String) -> Event {
    var event = Event(name)
    event.texts["transaction_id"] = hit["ti"]
    event.texts["affiliation"] = hit["ta"]
    event.texts["currency"] = hit["cu"]
    event.texts["coupon"] = hit["tcc"]
    event.numbers["value"] = number("tr")
    event.numbers["tax"] = number("tt")
    event.numbers["shipping"] = number("ts")
    return event
  }

  /// The number after a prefix, such as 7 in `cd7`.
  static func number(in name: String, after prefix: String) -> Int? {
    guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { return nil }
    let rest = name.dropFirst(prefix.count)
    return rest.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(rest) : nil
  }

  private static let reservedPrefixes = ["ga_", "google_", "firebase_"]
  private static let reserved: Set<String> = [
    "ad_activeview", "ad_click", "ad_exposure", "ad_query", "ad_reward", "adunit_exposure", "app_clear_data",
    "app_exception", "app_install", "app_remove", "app_store_refund", "app_store_subscription_cancel",
    "app_store_subscription_convert", "app_store_subscription_renew", "app_update", "app_upgrade", "app_background",
    "dynamic_link_app_open", "dynamic_link_app_update", "dynamic_link_first_open", "error", "first_open", "first_visit",
    "in_app_purchase", "notification_dismiss", "notification_foreground", "notification_open", "notification_receive",
    "notification_send", "os_update", "session_start", "user_engagement",
  ]

  /// Converts text to a valid event name: a letter, then letters, digits and underscores; at most 40, and not reserved.
  package static func name(_ text: String) -> String {
    var name = ""
    for scalar in text.lowercased().unicodeScalars {
      let isAllowed = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
      if isAllowed { name.unicodeScalars.append(scalar) } else if !name.hasSuffix("_") { name += "_" }
    }
    while name.hasSuffix("_") { name.removeLast() }
    while name.hasPrefix("_") { name.removeFirst() }
    let isFree = !reserved.contains(name) && !reservedPrefixes.contains { name.hasPrefix($0) }
    if !(name.first?.isLetter ?? false) || !isFree { name = "app_" + name }
    if reserved.contains(name) { name = "my_" + name }
    return String((name == "app_" ? "app_event" : name).prefix(40))
  }
}
