// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import GoogleAnalytics

// Code as apps have it, compiled in Swift 5 and Swift 6 mode with warnings as errors: don't tidy it up.
// GoogleAnalyticsTests checks what it records.

class SignInController {
  var dispatchHandler: ((GAIDispatchResult) -> Void)?
  let userId: Int? = 7

  func configure() {
    guard let gai = GAI.sharedInstance() else {
      assert(false, "Google Analytics not configured correctly")
      return
    }
    gai.tracker(withTrackingId: "UA-1000-1")
    gai.trackUncaughtExceptions = true
    gai.logger.logLevel = .verbose
    gai.logger.logLevel = GAILogLevel.none
    GAI.sharedInstance().dispatchInterval = 20
    GAI.sharedInstance().trackUncaughtExceptions = false
    let tracker = GAI.sharedInstance().tracker(withName: "second", trackingId: "UA-1000-2")
    tracker?.allowIDFACollection = false
    _ = GAI.sharedInstance().tracker(withTrackingId: "UA-1000-3")
  }

  func showScreen() {
    guard let tracker = GAI.sharedInstance().defaultTracker else { return }
    tracker.set(kGAIScreenName, value: "Sign in")
    guard let builder = GAIDictionaryBuilder.createScreenView() else { return }
    tracker.send(builder.build() as [NSObject: AnyObject])
    tracker.set(kGAIScreenName, value: nil)
    tracker.set("&uid", value: "user")
    tracker.set(GAIFields.customDimension(for: 1), value: "premium")
    if let field = GAIFields.customDimension(for: 2) { tracker.set(field, value: "on") }
    let index: UInt = 3
    if let field = GAIFields.customMetric(for: index) { tracker.set(field, value: "1") }
  }

  func showScreenInOtherWords() {
    let tracker = GAI.sharedInstance().defaultTracker
    tracker?.set(kGAIScreenName, value: "Other")
    let forced = GAIDictionaryBuilder.createScreenView()!
    tracker?.send(forced.build() as? [AnyHashable: Any])
    let dictionary = forced.build() as! [AnyHashable: Any]
    tracker?.send(dictionary)
    tracker!.send(forced.build() as! [NSObject: AnyObject])
    let typed: GAIDictionaryBuilder = GAIDictionaryBuilder.createScreenView()
    tracker?.send((typed.build() as NSDictionary) as? [AnyHashable: Any])
    let plain: NSObject = typed.build()
    _ = plain
    let builder = GAIDictionaryBuilder.createScreenView()
    builder?.set("start", forKey: kGAISessionControl)
    builder?.setCampaignParametersFromUrl("utm_source=mail&utm_medium=link")
    if let parameters = builder?.build() as? [AnyHashable: Any] { tracker?.send(parameters) }
    GAI.sharedInstance().defaultTracker.send(builder?.build() as [NSObject: AnyObject]?)
  }

  func recordEvents(count: Int, flag: Bool, amount: NSNumber?) {
    let tracker = GAI.sharedInstance().defaultTracker!
    tracker.send(
      GAIDictionaryBuilder.createEvent(withCategory: "x", action: "y", label: nil, value: nil).build()
        as [NSObject: AnyObject])
    tracker.send(
      GAIDictionaryBuilder.createEvent(withCategory: "x", action: "y", label: "z", value: 5).build()
        as? [AnyHashable: Any])
    let number = count as NSNumber
    let optional = count as NSNumber?
    for value in [number, NSNumber(value: flag), NSNumber(value: 29.2)] {
      let event = GAIDictionaryBuilder.createEvent(withCategory: "c", action: "a", label: "l", value: value)
      tracker.send(event?.build() as? [AnyHashable: Any])
    }
    _ = GAIDictionaryBuilder.createEvent(withCategory: "c", action: "a", label: "l", value: 29.2)
    _ = GAIDictionaryBuilder.createEvent(withCategory: "c", action: "a", label: "l", value: true)
    _ = GAIDictionaryBuilder.createEvent(withCategory: "c", action: "a", label: "l", value: optional)
    _ = GAIDictionaryBuilder.createEvent(withCategory: "c", action: "a", label: "l", value: amount)
    let timing = GAIDictionaryBuilder.createTiming(
      withCategory: "load", interval: NSNumber(value: Int(1.25 * 1000)), name: "list", label: nil)
    tracker.send(timing?.build() as? [AnyHashable: Any])
    let error = NSError(domain: "x", code: 1)
    if let exception = GAIDictionaryBuilder.createException(
      withDescription: error.localizedDescription, withFatal: NSNumber(value: false))
    {
      tracker.send(exception.build() as [NSObject: AnyObject])
    }
    let social = GAIDictionaryBuilder.createSocial(withNetwork: "n", action: "like", target: nil)
    tracker.send(social?.build() as? [AnyHashable: Any])
  }

  func sell() {
    let product = GAIEcommerceProduct()
    product.setId("P1")
    product.setName("Shirt")
    product.setPrice(29.2)
    product.setQuantity(1)
    product.setCustomDimension(1, value: "Member")
    let action = GAIEcommerceProductAction()
    action.setAction(kGAIPAPurchase)
    action.setTransactionId("T1")
    action.setRevenue(37.39)
    let screenBuilder = GAIDictionaryBuilder.createScreenView()!
    screenBuilder.setProductAction(action)
    screenBuilder.add(product)
    let builder = GAIDictionaryBuilder.createEvent(
      withCategory: "Ecommerce", action: "Purchase", label: nil, value: nil)
    builder?.setProductAction(action)
    builder?.add(product)
    let promotion = GAIEcommercePromotion()
    promotion.setId("PROMO")
    builder?.add(promotion)
    builder?.addProductImpression(product, impressionList: "Results", impressionSource: "Search")
    GAI.sharedInstance().defaultTracker.send(builder?.build() as? [AnyHashable: Any])
    GAI.sharedInstance().defaultTracker.send(screenBuilder.build() as [NSObject: AnyObject])
    let transaction = GAIDictionaryBuilder.createTransaction(
      withId: "T1", affiliation: "Shop", revenue: 10.5, tax: 1, shipping: 0 as NSNumber, currencyCode: "EUR")
    let item = GAIDictionaryBuilder.createItem(
      withTransactionId: "T1", name: "Shirt", sku: nil, category: nil, price: 10.5, quantity: 1, currencyCode: "EUR")
    GAI.sharedInstance().defaultTracker.send(transaction?.build() as? [AnyHashable: Any])
    GAI.sharedInstance().defaultTracker.send(item?.build() as? [AnyHashable: Any])
  }

  func signOut() {
    GAI.sharedInstance().removeTracker(byName: "second")
    GAI.sharedInstance().dryRun = true
    GAI.sharedInstance().dryRun = false
    GAI.sharedInstance().dispatch()
    dispatchHandler = { [weak self] result in
      if result == .good { GAI.sharedInstance().dispatch(completionHandler: self?.dispatchHandler) }
    }
    GAI.sharedInstance().dispatch(completionHandler: self.dispatchHandler)
    GAI.sharedInstance().dispatch(completionHandler: nil)
    GAI.sharedInstance().dispatch { _ in }
  }

  func dispatchFromAsync() async {
    // The original's generated async variant made this an error.
    GAI.sharedInstance().dispatch()
  }

  func changeLogger() {
    GAI.sharedInstance().logger = QuietLogger()
    switch GAI.sharedInstance().logger.logLevel {
    case .none, .error, .warning, .info, .verbose: break
    @unknown default: break
    }
    if GAIErrorCode(0) == kGAINoError { print(kGAIProduct + " " + kGAIVersion) }
  }
}

class QuietLogger: NSObject, GAILogger {
  // Not stored: tests in both language modes share the instance, and set this at the same time.
  var logLevel: GAILogLevel {
    get { .error }
    set {}
  }
  func verbose(_ message: String!) {}
  func info(_ message: String!) {}
  func warning(_ message: String!) {}
  func error(_ message: String!) {}
}

class MockTracker: NSObject, GAITracker {
  var name: String! { "mock" }
  var allowIDFACollection = false
  var sent = 0
  func set(_ parameterName: String!, value: String!) {}
  func get(_ parameterName: String!) -> String! { nil }
  func send(_ parameters: [AnyHashable: Any]!) { sent += 1 }
}
