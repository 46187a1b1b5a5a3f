import Foundation
import GoogleAnalytics

/// The calls of a video app: the original's samples for each hit type.
struct Player {
  private var tracker: GAITracker { GAI.sharedInstance().defaultTracker }

  /// One hit of each type.
  func tour(_ name: String) {
    screen("Library \(name)")
    customDimensions()
    event(category: "Video", action: "Play", label: name, value: 42)
    event(category: "Video", action: "Play", label: name, value: 8)
    event(category: "Video", action: "Stop", label: nil, value: nil)
    timing()
    social()
    exceptions()
    order("T-\(name)")
    enhancedEcommerce("E-\(name)")
  }

  /// A screen view; the tracker keeps the name until the next one.
  func screen(_ name: String) {
    Journal.hit(["t": "screenview", "cd": name]) {
      tracker.set(kGAIScreenName, value: name)
      tracker.send(GAIDictionaryBuilder.createScreenView().build() as [NSObject: AnyObject])
    }
  }

  /// A screen view in the past; `control` begins or ends a session.
  func screen(_ name: String, ago seconds: TimeInterval, control: String?) {
    var parameters = ["t": "screenview", "cd": name]
    parameters["sc"] = control
    Journal.hit(parameters, age: seconds) {
      guard let builder = GAIDictionaryBuilder.createScreenView() else { return }
      builder.set(name, forKey: kGAIScreenName)
      builder.set(control, forKey: kGAISessionControl)
      builder.set(String(Int64((seconds * 1_000).rounded())), forKey: "&qt")
      tracker.send(builder.build() as [NSObject: AnyObject])
    }
  }

  func event(category: String, action: String, label: String?, value: Int?) {
    var parameters = ["t": "event", "ec": category, "ea": action]
    parameters["el"] = label
    parameters["ev"] = value.map(String.init)
    Journal.hit(parameters) {
      let event = GAIDictionaryBuilder.createEvent(
        withCategory: category, action: action, label: label, value: value as NSNumber?)
      tracker.send(event?.build() as [NSObject: AnyObject]?)
    }
  }

  /// A dimension and a metric for one hit.
  private func customDimensions() {
    Journal.hit(["t": "event", "ec": "Account", "ea": "Sign in", "cd1": "premium", "cm2": "3.5"]) {
      let builder = GAIDictionaryBuilder.createEvent(
        withCategory: "Account", action: "Sign in", label: nil, value: nil)!
      builder.set("premium", forKey: GAIFields.customDimension(for: 1))
      builder.set("3.5", forKey: GAIFields.customMetric(for: 2))
      tracker.send(builder.build() as [NSObject: AnyObject])
    }
  }

  private func timing() {
    Journal.hit(["t": "timing", "utc": "Loading", "utv": "Catalogue", "utt": "730"]) {
      let timing = GAIDictionaryBuilder.createTiming(
        withCategory: "Loading", interval: 730, name: "Catalogue", label: nil)
      tracker.send(timing?.build() as [NSObject: AnyObject]?)
    }
  }

  private func social() {
    Journal.hit(["t": "social", "sn": "Friends", "sa": "Share", "st": "film/7"]) {
      let social = GAIDictionaryBuilder.createSocial(withNetwork: "Friends", action: "Share", target: "film/7")
      tracker.send(social?.build() as [NSObject: AnyObject]?)
    }
  }

  /// A handled error, and a fatal one.
  private func exceptions() {
    for (description, isFatal) in [("No subtitles", false), ("Decoder gone", true)] {
      Journal.hit(["t": "exception", "exd": description, "exf": isFatal ? "1" : "0"]) {
        let exception = GAIDictionaryBuilder.createException(
          withDescription: description, withFatal: NSNumber(value: isFatal))
        tracker.send(exception?.build() as [NSObject: AnyObject]?)
      }
    }
  }

  /// A purchase in the older form: the order, then its items.
  func order(_ identifier: String) {
    Journal.hit(["t": "transaction", "ti": identifier, "tr": "12.34", "tt": "1.9", "ts": "0"]) {
      let transaction = GAIDictionaryBuilder.createTransaction(
        withId: identifier, affiliation: "In the app", revenue: 12.34, tax: 1.9, shipping: 0, currencyCode: "EUR")
      tracker.send(transaction?.build() as [NSObject: AnyObject]?)
    }
    Journal.hit(["t": "item", "ti": identifier, "in": "Film", "ic": "F7", "ip": "6.17", "iq": "2"]) {
      let item = GAIDictionaryBuilder.createItem(
        withTransactionId: identifier, name: "Film", sku: "F7", category: "Drama", price: 6.17, quantity: 2,
        currencyCode: "EUR")
      tracker.send(item?.build() as [NSObject: AnyObject]?)
    }
  }

  /// A product that was viewed, added to the cart and bought, and the promotion that led to it.
  private func enhancedEcommerce(_ identifier: String) {
    let product = GAIEcommerceProduct()
    product.setId("S1")
    product.setName("Subscription")
    product.setPrice(4.99)
    product.setQuantity(1)

    Journal.hit(["t": "screenview", "cd": "Offers"]) {
      let builder = GAIDictionaryBuilder.createScreenView()!
      builder.addProductImpression(product, impressionList: "Offers", impressionSource: "Start")
      let promotion = GAIEcommercePromotion()
      promotion.setId("SUMMER")
      promotion.setName("Summer of films")
      builder.add(promotion)
      builder.set("Offers", forKey: kGAIScreenName)
      tracker.send(builder.build() as [NSObject: AnyObject])
    }
    for name in [kGAIPADetail, kGAIPAAdd, kGAIPACheckout, kGAIPAPurchase] {
      let action = GAIEcommerceProductAction()
      action.setAction(name)
      var parameters = ["t": "event", "ec": "Shop", "ea": name, "pa": name, "product": "Subscription"]
      if name == kGAIPACheckout { action.setCheckoutStep(1) }
      if name == kGAIPAPurchase {
        action.setTransactionId(identifier)
        action.setRevenue(4.99)
        parameters.merge(["ti": identifier, "tr": "4.99", "price": "4.99"]) { $1 }
      }
      Journal.hit(parameters) {
        let builder = GAIDictionaryBuilder.createEvent(withCategory: "Shop", action: name, label: nil, value: nil)!
        builder.setProductAction(action)
        builder.add(product)
        tracker.send(builder.build() as [NSObject: AnyObject])
      }
    }
  }
}
