// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

extension GAIDictionaryBuilder {
  /// Creates a screen view; set its name on the tracker or the builder.
  @available(*, deprecated, message: "Use createScreenView instead.")
  public class func createAppView() -> GAIDictionaryBuilder! { hit(kGAIAppView, []) }

  /// Creates a screen view; set its name on the tracker or the builder.
  public class func createScreenView() -> GAIDictionaryBuilder! { hit(kGAIScreenView, []) }

  /// Creates an event.
  public class func createEvent(
    withCategory category: String!, action: String!, label: String!, value: NSNumber!
  ) -> GAIDictionaryBuilder! {
    hit(
      kGAIEvent,
      [
        (kGAIEventCategory, category), (kGAIEventAction, action), (kGAIEventLabel, label),
        (kGAIEventValue, value.text),
      ])
  }

  /// Creates a crash or an error.
  public class func createException(
    withDescription description: String!, withFatal fatal: NSNumber!
  ) -> GAIDictionaryBuilder! {
    hit(kGAIException, [(kGAIExDescription, description), (kGAIExFatal, fatal.map { $0.boolValue ? "1" : "0" })])
  }

  /// Creates an item of a purchase.
  public class func createItem(
    withTransactionId transactionId: String!, name: String!, sku: String!, category: String!, price: NSNumber!,
    quantity: NSNumber!, currencyCode: String!
  ) -> GAIDictionaryBuilder! {
    hit(
      kGAIItem,
      [
        (kGAITransactionId, transactionId), (kGAIItemName, name), (kGAIItemSku, sku), (kGAIItemCategory, category),
        (kGAIItemPrice, price.text), (kGAIItemQuantity, quantity.text), (kGAICurrencyCode, currencyCode),
      ])
  }

  /// Creates a social interaction.
  public class func createSocial(
    withNetwork network: String!, action: String!, target: String!
  ) -> GAIDictionaryBuilder! {
    hit(kGAISocial, [(kGAISocialNetwork, network), (kGAISocialAction, action), (kGAISocialTarget, target)])
  }

  /// Creates a timing; the interval is in milliseconds.
  public class func createTiming(
    withCategory category: String!, interval intervalMillis: NSNumber!, name: String!, label: String!
  ) -> GAIDictionaryBuilder! {
    hit(
      kGAITiming,
      [
        (kGAITimingCategory, category), (kGAITimingValue, intervalMillis.text), (kGAITimingVar, name),
        (kGAITimingLabel, label),
      ])
  }

  /// Creates a purchase.
  public class func createTransaction(
    withId transactionId: String!, affiliation: String!, revenue: NSNumber!, tax: NSNumber!, shipping: NSNumber!,
    currencyCode: String!
  ) -> GAIDictionaryBuilder! {
    hit(
      kGAITransaction,
      [
        (kGAITransactionId, transactionId), (kGAITransactionAffiliation, affiliation),
        (kGAITransactionRevenue, revenue.text), (kGAITransactionTax, tax.text),
        (kGAITransactionShipping, shipping.text), (kGAICurrencyCode, currencyCode),
      ])
  }

  private class func hit(_ type: String, _ pairs: [(name: String, value: String?)]) -> GAIDictionaryBuilder {
    GAIDictionaryBuilder().setting([(kGAIHitType, type)] + pairs)
  }
}

extension NSNumber? {
  /// The number in the protocol's format.
  var text: String? { map { HitValue.text(of: $0) } }
}
