// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

/// A promotion of enhanced ecommerce. Not thread-safe.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAIEcommercePromotion)
#endif
public final class GAIEcommercePromotion: NSObject {
  private var fields: [String: String] = [:]

  /// Creates an empty promotion.
  public override init() { super.init() }

  /// Sets its identifier; `nil` removes it.
  @discardableResult
  public func setId(_ value: String!) -> GAIEcommercePromotion! { setting(kGAIPromotionId, value) }

  /// Sets its name; `nil` removes it.
  @discardableResult
  public func setName(_ value: String!) -> GAIEcommercePromotion! { setting(kGAIPromotionName, value) }

  /// Sets its creative; `nil` removes it.
  @discardableResult
  public func setCreative(_ value: String!) -> GAIEcommercePromotion! { setting(kGAIPromotionCreative, value) }

  /// Sets its position; `nil` removes it.
  @discardableResult
  public func setPosition(_ value: String!) -> GAIEcommercePromotion! { setting(kGAIPromotionPosition, value) }

  /// The parameters of the promotion at an index.
  #if canImport(ObjectiveC)
    @objc(buildWithIndex:)
  #endif
  public func build(with index: UInt) -> [AnyHashable: Any]! {
    Dictionary(uniqueKeysWithValues: fields.map { (AnyHashable(ProductFields.promotion(index, $0.key)), $0.value) })
  }

  private func setting(_ name: String, _ value: String?) -> GAIEcommercePromotion {
    fields[name] = value
    return self
  }
}
