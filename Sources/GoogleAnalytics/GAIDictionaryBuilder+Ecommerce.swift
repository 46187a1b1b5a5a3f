// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import TernMeasurement

extension GAIDictionaryBuilder {
  /// Sets the action taken with the products.
  #if canImport(ObjectiveC)
    @objc(setProductAction:)
  #endif
  @discardableResult
  public func setProductAction(_ productAction: GAIEcommerceProductAction!) -> GAIDictionaryBuilder! {
    setAll(productAction?.build())
  }

  /// Adds a product with the next index.
  #if canImport(ObjectiveC)
    @objc(addProduct:)
  #endif
  @discardableResult
  public func add(_ product: GAIEcommerceProduct!) -> GAIDictionaryBuilder! {
    guard let product else { return self }
    return setAll(product.build(with: numbers.nextProduct()))
  }

  /// Adds a product seen in a list; equal names mean the same list.
  #if canImport(ObjectiveC)
    @objc(addProductImpression:impressionList:impressionSource:)
  #endif
  @discardableResult
  public func addProductImpression(
    _ product: GAIEcommerceProduct!, impressionList name: String!, impressionSource source: String!
  ) -> GAIDictionaryBuilder! {
    guard let product else { return self }
    let place = numbers.nextImpression(in: name ?? "")
    let list = ProductFields.list(place.list)
    setAll(product.build(withListIndex: place.list, index: place.product))
    return setting([("\(list)\(kGAIImpressionName)", name), ("\(list)\(kGAIImpressionListSource)", source)])
  }

  /// Adds a promotion with the next index.
  #if canImport(ObjectiveC)
    @objc(addPromotion:)
  #endif
  @discardableResult
  public func add(_ promotion: GAIEcommercePromotion!) -> GAIDictionaryBuilder! {
    guard let promotion else { return self }
    return setAll(promotion.build(with: numbers.nextPromotion()))
  }
}
