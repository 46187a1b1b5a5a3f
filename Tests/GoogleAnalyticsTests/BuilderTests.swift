import Foundation
import GoogleAnalytics
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Builders` {
  private func text(_ builder: GAIDictionaryBuilder?) -> [String: String] {
    builder?.build() as NSMutableDictionary? as? [String: String] ?? [:]
  }

  @Test func `setAll skips names and values that are not strings`() {
    let builder = GAIDictionaryBuilder()
    builder.setAll(["&a": "1", 2: "two", "&b": 3, "&c": ["x"], "&d": NSNull(), NSString("&e"): NSString("5")])
    let built = builder.build() as NSMutableDictionary
    #expect(Set(built.allKeys.compactMap { $0 as? String }) == ["&a", "&d", "&e"])
    #expect(builder.get("&a") == "1" && builder.get("&e") == "5" && builder.get("&d") == nil && builder.get(nil) == nil)
    builder.setAll(nil).set(nil, forKey: "&a").set("x", forKey: nil)
    #expect(builder.get("&a") == nil)
  }

  @Test func `building twice returns equal, independent dictionaries`() {
    let builder = GAIDictionaryBuilder.createScreenView()
    let first = builder?.build() as NSMutableDictionary?
    let second = builder?.build() as NSMutableDictionary?
    #expect(first == second && first !== second)
    first?["&x"] = "1"
    builder?.set("2", forKey: "&y")
    #expect(second?.count == 1)
    let swift = builder?.build() as [NSObject: AnyObject]?
    #expect(swift?.count == 2)
  }

  @Test func `createAppView sends the old hit type`() {
    #expect(text(deprecated()) == ["&t": "appview"])
  }

  private func deprecated() -> GAIDictionaryBuilder? { (self as any Deprecated).make() }

  @Test func `every builder writes its fields under their names`() {
    #expect(text(.createScreenView()) == ["&t": "screenview"])
    #expect(
      text(.createEvent(withCategory: "c", action: "a", label: "l", value: 5))
        == ["&t": "event", "&ec": "c", "&ea": "a", "&el": "l", "&ev": "5"])
    #expect(
      text(.createTiming(withCategory: "c", interval: 12, name: "n", label: "l"))
        == ["&t": "timing", "&utc": "c", "&utt": "12", "&utv": "n", "&utl": "l"])
    #expect(
      text(.createSocial(withNetwork: "n", action: "a", target: "t"))
        == ["&t": "social", "&sn": "n", "&sa": "a", "&st": "t"])
    #expect(
      text(
        .createTransaction(
          withId: "1", affiliation: "s", revenue: -2.16, tax: 0.17, shipping: 0, currencyCode: "EUR"))
        == [
          "&t": "transaction", "&ti": "1", "&ta": "s", "&tr": "-2.16", "&tt": "0.17", "&ts": "0", "&cu": "EUR",
        ])
    #expect(
      text(
        .createItem(
          withTransactionId: "1", name: "n", sku: "k", category: "c", price: 1.9, quantity: 2, currencyCode: "EUR"))
        == [
          "&t": "item", "&ti": "1", "&in": "n", "&ic": "k", "&iv": "c", "&ip": "1.9", "&iq": "2", "&cu": "EUR",
        ])
  }

  @Test func `a missing label or value leaves out the parameter`() {
    #expect(
      text(.createEvent(withCategory: "c", action: "a", label: nil, value: nil))
        == ["&t": "event", "&ec": "c", "&ea": "a"])
  }

  @Test func `a fatal exception sends exf=1, any other sends exf=0`() {
    #expect(
      text(.createException(withDescription: "d", withFatal: true)) == ["&t": "exception", "&exd": "d", "&exf": "1"])
    #expect(text(.createException(withDescription: nil, withFatal: false)) == ["&t": "exception", "&exf": "0"])
    #expect(text(.createException(withDescription: nil, withFatal: nil)) == ["&t": "exception"])
  }

  @Test func `a campaign address sets its parameters`() {
    let builder = GAIDictionaryBuilder.createScreenView()
    builder?.setCampaignParametersFromUrl("app://x?utm_source=mail&gclid=7")
    #expect(text(builder) == ["&t": "screenview", "&cs": "mail", "&gclid": "7"])
    builder?.setCampaignParametersFromUrl(nil)?.setCampaignParametersFromUrl("%%%")
    #expect(text(builder).count == 3)
  }

  @Test func `two products and an action`() throws {
    let first = GAIEcommerceProduct()
    first.setId("P1")?.setName("Shirt")?.setBrand("B")?.setCategory("A/B")?.setVariant("blue")?.setPrice(29.2)?
      .setQuantity(2)?.setCouponCode("C")?.setPosition(1)?.setCustomDimension(2, value: "d")?.setCustomMetric(
        3, value: 4)
    let second = GAIEcommerceProduct()
    second.setName("Hat")
    let action = GAIEcommerceProductAction()
    action.setAction(kGAIPAPurchase)?.setTransactionId("T1")?.setRevenue(58.4)?.setCheckoutStep(2)
    let builder = GAIDictionaryBuilder()
    builder.add(first)?.add(second)?.setProductAction(action)
    #expect(
      text(builder) == [
        "&pr1id": "P1", "&pr1nm": "Shirt", "&pr1br": "B", "&pr1ca": "A/B", "&pr1va": "blue", "&pr1pr": "29.2",
        "&pr1qt": "2", "&pr1cc": "C", "&pr1ps": "1", "&pr1cd2": "d", "&pr1cm3": "4", "&pr2nm": "Hat", "&pa": "purchase",
        "&ti": "T1", "&tr": "58.4", "&cos": "2",
      ])
  }

  @Test func `two impressions in one list and one in another, and promotions`() {
    let product = GAIEcommerceProduct()
    product.setId("P")
    let promotion = GAIEcommercePromotion()
    promotion.setId("X")?.setPosition("top")
    let builder = GAIDictionaryBuilder()
    builder.addProductImpression(product, impressionList: "A", impressionSource: "S")?
      .addProductImpression(product, impressionList: "B", impressionSource: nil)?
      .addProductImpression(product, impressionList: "A", impressionSource: "S")?.add(promotion)?.add(promotion)
    #expect(
      text(builder) == [
        "&il1nm": "A", "&il1ls": "S", "&il1pi1id": "P", "&il1pi2id": "P", "&il2nm": "B", "&il2pi1id": "P",
        "&promo1id": "X", "&promo1ps": "top", "&promo2id": "X", "&promo2ps": "top",
      ])
  }

  @Test func `constants of enhanced ecommerce have the names and values of the original`() {
    let expected: [(String, String)] = [
      (kGAIProductId, "id"), (kGAIProductName, "nm"), (kGAIProductBrand, "br"), (kGAIProductCategory, "ca"),
      (kGAIProductVariant, "va"), (kGAIProductPrice, "pr"), (kGAIProductQuantity, "qt"),
      (kGAIProductCouponCode, "cc"), (kGAIProductPosition, "ps"), (kGAIProductAction, "&pa"),
      (kGAIPADetail, "detail"), (kGAIPAClick, "click"), (kGAIPAAdd, "add"), (kGAIPARemove, "remove"),
      (kGAIPACheckout, "checkout"), (kGAIPACheckoutOption, "checkout_option"), (kGAIPAPurchase, "purchase"),
      (kGAIPARefund, "refund"), (kGAIPATransactionId, "&ti"), (kGAIPAAffiliation, "&ta"), (kGAIPARevenue, "&tr"),
      (kGAIPATax, "&tt"), (kGAIPAShipping, "&ts"), (kGAIPACouponCode, "&tcc"), (kGAICheckoutStep, "&cos"),
      (kGAICheckoutOption, "&col"), (kGAIProductActionList, "&pal"), (kGAIProductListSource, "&pls"),
      (kGAIImpressionName, "nm"), (kGAIImpressionListSource, "ls"), (kGAIImpressionProduct, "pi"),
      (kGAIImpressionProductId, "id"), (kGAIImpressionProductName, "nm"), (kGAIImpressionProductBrand, "br"),
      (kGAIImpressionProductCategory, "ca"), (kGAIImpressionProductVariant, "va"),
      (kGAIImpressionProductPosition, "ps"), (kGAIImpressionProductPrice, "pr"), (kGAIPromotionId, "id"),
      (kGAIPromotionName, "nm"), (kGAIPromotionCreative, "cr"), (kGAIPromotionPosition, "ps"),
      (kGAIPromotionAction, "&promoa"), (kGAIPromotionView, "view"), (kGAIPromotionClick, "click"),
    ]
    for (value, name) in expected { #expect(value == name) }
  }

  @Test func `constants and numbered names have the values of the original`() {
    let expected: [String: String] = [
      kGAIUseSecure: "useSecure", kGAIHitType: "&t", kGAITrackingId: "&tid", kGAIClientId: "&cid",
      kGAIDataSource: "&ds",
      kGAIAnonymizeIp: "&aip", kGAISessionControl: "&sc", kGAIDeviceModelVersion: "&dm", kGAIScreenResolution: "&sr",
      kGAIViewportSize: "&vp", kGAIEncoding: "&de", kGAIScreenColors: "&sd", kGAILanguage: "&ul",
      kGAIJavaEnabled: "&je", kGAIFlashVersion: "&fl", kGAINonInteraction: "&ni", kGAIReferrer: "&dr",
      kGAILocation: "&dl", kGAIHostname: "&dh", kGAIPage: "&dp", kGAIScreenName: "&cd", kGAITitle: "&dt",
      kGAIAdMobHitId: "&a", kGAIAppName: "&an", kGAIAppVersion: "&av", kGAIAppId: "&aid", kGAIAppInstallerId: "&aiid",
      kGAIUserId: "&uid", kGAIEventCategory: "&ec", kGAIEventAction: "&ea", kGAIEventLabel: "&el",
      kGAIEventValue: "&ev", kGAISocialNetwork: "&sn", kGAISocialAction: "&sa", kGAISocialTarget: "&st",
      kGAITransactionId: "&ti", kGAITransactionAffiliation: "&ta", kGAITransactionRevenue: "&tr",
      kGAITransactionShipping: "&ts", kGAITransactionTax: "&tt", kGAICurrencyCode: "&cu", kGAIItemPrice: "&ip",
      kGAIItemQuantity: "&iq", kGAIItemSku: "&ic", kGAIItemName: "&in", kGAIItemCategory: "&iv",
      kGAICampaignSource: "&cs", kGAICampaignMedium: "&cm", kGAICampaignName: "&cn", kGAICampaignKeyword: "&ck",
      kGAICampaignContent: "&cc", kGAICampaignId: "&ci", kGAICampaignAdNetworkClickId: "&aclid",
      kGAICampaignAdNetworkId: "&anid", kGAITimingCategory: "&utc", kGAITimingVar: "&utv", kGAITimingValue: "&utt",
      kGAITimingLabel: "&utl", kGAIExDescription: "&exd", kGAIExFatal: "&exf", kGAISampleRate: "&sf", kGAIIdfa: "&idfa",
      kGAIAdTargetingEnabled: "&ate", kGAIAppView: "appview", kGAIScreenView: "screenview", kGAIEvent: "event",
      kGAISocial: "social", kGAITransaction: "transaction", kGAIItem: "item", kGAIException: "exception",
      kGAITiming: "timing",
    ]
    for (value, name) in expected { #expect(value == name) }
    #expect(kGAIDescription == "&cd")
    #expect(GAIFields.customDimension(for: 7) == "&cd7" && GAIFields.customMetric(for: 8) == "&cm8")
    #expect(GAIFields.contentGroup(for: 2) == "&cg2")
    #expect(GAIEcommerceFields.productField(for: 1, suffix: kGAIProductPrice) == "&pr1pr")
    #expect(GAIEcommerceFields.productField(for: 1, suffix: GAIFields.customDimension(for: 2)) == "&pr1cd2")
    let list = GAIEcommerceFields.impressionList(for: 1)
    #expect(
      GAIEcommerceFields.productImpression(forList: list, index: 2, suffix: kGAIImpressionProductId) == "&il1pi2id")
    #expect(GAIEcommerceFields.promotion(for: 1, suffix: kGAIPromotionName) == "&promo1nm")
    #expect(GAIDispatchResult.noData.rawValue == 0 && GAIDispatchResult.error.rawValue == 2)
    #expect(GAILogLevel.none.rawValue == 0 && GAILogLevel.verbose.rawValue == 4)
  }
}

/// Calls deprecated methods without a warning.
private protocol Deprecated {
  func make() -> GAIDictionaryBuilder?
}

extension `Builders`: Deprecated {
  @available(*, deprecated) fileprivate func make() -> GAIDictionaryBuilder? { .createAppView() }
}
