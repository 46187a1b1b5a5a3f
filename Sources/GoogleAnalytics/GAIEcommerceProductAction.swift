// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

/// The action taken with the products of a hit. Not thread-safe.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAIEcommerceProductAction)
#endif
public final class GAIEcommerceProductAction: NSObject {
  private var fields: [String: String] = [:]

  /// Creates an empty action.
  public override init() { super.init() }

  /// Sets the action; `nil` removes it.
  @discardableResult
  public func setAction(_ value: String!) -> GAIEcommerceProductAction! { setting(kGAIProductAction, value) }

  /// Sets the transaction; `nil` removes it.
  @discardableResult
  public func setTransactionId(_ value: String!) -> GAIEcommerceProductAction! { setting(kGAIPATransactionId, value) }

  /// Sets the store or affiliation; `nil` removes it.
  @discardableResult
  public func setAffiliation(_ value: String!) -> GAIEcommerceProductAction! { setting(kGAIPAAffiliation, value) }

  /// Sets the revenue; `nil` removes it.
  @discardableResult
  public func setRevenue(_ value: NSNumber!) -> GAIEcommerceProductAction! { setting(kGAIPARevenue, value.text) }

  /// Sets the tax; `nil` removes it.
  @discardableResult
  public func setTax(_ value: NSNumber!) -> GAIEcommerceProductAction! { setting(kGAIPATax, value.text) }

  /// Sets the shipping; `nil` removes it.
  @discardableResult
  public func setShipping(_ value: NSNumber!) -> GAIEcommerceProductAction! { setting(kGAIPAShipping, value.text) }

  /// Sets the order's coupon; `nil` removes it.
  @discardableResult
  public func setCouponCode(_ value: String!) -> GAIEcommerceProductAction! { setting(kGAIPACouponCode, value) }

  /// Sets the checkout step; `nil` removes it.
  @discardableResult
  public func setCheckoutStep(_ value: NSNumber!) -> GAIEcommerceProductAction! {
    setting(kGAICheckoutStep, value.text)
  }

  /// Sets the checkout option; `nil` removes it.
  @discardableResult
  public func setCheckoutOption(_ value: String!) -> GAIEcommerceProductAction! { setting(kGAICheckoutOption, value) }

  /// Sets the list of the products; `nil` removes it.
  @discardableResult
  public func setProductActionList(_ value: String!) -> GAIEcommerceProductAction! {
    setting(kGAIProductActionList, value)
  }

  /// Sets the source of the list; `nil` removes it.
  @discardableResult
  public func setProductListSource(_ value: String!) -> GAIEcommerceProductAction! {
    setting(kGAIProductListSource, value)
  }

  /// The parameters of the action.
  public func build() -> [AnyHashable: Any]! { fields }

  private func setting(_ name: String, _ value: String?) -> GAIEcommerceProductAction {
    fields[name] = value
    return self
  }
}
