// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

/// A product of enhanced ecommerce. Not thread-safe.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAIEcommerceProduct)
#endif
public final class GAIEcommerceProduct: NSObject {
  private var fields: [String: String] = [:]

  /// Creates an empty product.
  public override init() { super.init() }

  /// Sets its identifier; `nil` removes it.
  @discardableResult
  public func setId(_ value: String!) -> GAIEcommerceProduct! { setting(kGAIProductId, value) }

  /// Sets its name; `nil` removes it.
  @discardableResult
  public func setName(_ value: String!) -> GAIEcommerceProduct! { setting(kGAIProductName, value) }

  /// Sets its brand; `nil` removes it.
  @discardableResult
  public func setBrand(_ value: String!) -> GAIEcommerceProduct! { setting(kGAIProductBrand, value) }

  /// Sets its category, levels separated by slashes; `nil` removes it.
  @discardableResult
  public func setCategory(_ value: String!) -> GAIEcommerceProduct! { setting(kGAIProductCategory, value) }

  /// Sets its variant; `nil` removes it.
  @discardableResult
  public func setVariant(_ value: String!) -> GAIEcommerceProduct! { setting(kGAIProductVariant, value) }

  /// Sets the unit price; `nil` removes it.
  @discardableResult
  public func setPrice(_ value: NSNumber!) -> GAIEcommerceProduct! { setting(kGAIProductPrice, value.text) }

  /// Sets the quantity; `nil` removes it.
  @discardableResult
  public func setQuantity(_ value: NSNumber!) -> GAIEcommerceProduct! { setting(kGAIProductQuantity, value.text) }

  /// Sets its coupon; `nil` removes it.
  @discardableResult
  public func setCouponCode(_ value: String!) -> GAIEcommerceProduct! { setting(kGAIProductCouponCode, value) }

  /// Sets its position in a list; `nil` removes it.
  @discardableResult
  public func setPosition(_ value: NSNumber!) -> GAIEcommerceProduct! { setting(kGAIProductPosition, value.text) }

  /// Sets a custom dimension; `nil` removes it.
  @discardableResult
  public func setCustomDimension(_ index: UInt, value: String!) -> GAIEcommerceProduct! {
    setting("cd\(index)", value)
  }

  /// Sets a custom metric; `nil` removes it.
  @discardableResult
  public func setCustomMetric(_ index: UInt, value: NSNumber!) -> GAIEcommerceProduct! {
    setting("cm\(index)", value.text)
  }

  /// The parameters of the product at an index.
  #if canImport(ObjectiveC)
    @objc(buildWithIndex:)
  #endif
  public func build(with index: UInt) -> [AnyHashable: Any]! {
    named { ProductFields.product(index, $0) }
  }

  /// The parameters of the product at an index of a list.
  #if canImport(ObjectiveC)
    @objc(buildWithListIndex:index:)
  #endif
  public func build(withListIndex listIndex: UInt, index: UInt) -> [AnyHashable: Any]! {
    named { ProductFields.impression(ProductFields.list(listIndex), index, $0) }
  }

  private func named(_ name: (String) -> String) -> [AnyHashable: Any] {
    Dictionary(uniqueKeysWithValues: fields.map { (AnyHashable(name($0.key)), $0.value) })
  }

  private func setting(_ name: String, _ value: String?) -> GAIEcommerceProduct {
    fields[name] = value
    return self
  }
}
