public import Foundation
import TernMeasurement

/// The names of numbered parameters.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAIFields)
#endif
public final class GAIFields: NSObject {
  /// The name of a content group.
  #if canImport(ObjectiveC)
    @objc(contentGroupForIndex:)
  #endif
  public class func contentGroup(for index: UInt) -> String! { "&cg\(index)" }

  /// The name of a custom dimension.
  #if canImport(ObjectiveC)
    @objc(customDimensionForIndex:)
  #endif
  public class func customDimension(for index: UInt) -> String! { "&cd\(index)" }

  /// The name of a custom metric.
  #if canImport(ObjectiveC)
    @objc(customMetricForIndex:)
  #endif
  public class func customMetric(for index: UInt) -> String! { "&cm\(index)" }
}

/// The parameter names of enhanced ecommerce.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAIEcommerceFields)
#endif
public final class GAIEcommerceFields: NSObject {
  /// The name of a product's field.
  #if canImport(ObjectiveC)
    @objc(productFieldForIndex:suffix:)
  #endif
  public class func productField(for index: UInt, suffix: String!) -> String! {
    ProductFields.product(index, suffix ?? "")
  }

  /// The name of a list of impressions.
  #if canImport(ObjectiveC)
    @objc(impressionListForIndex:)
  #endif
  public class func impressionList(for index: UInt) -> String! { ProductFields.list(index) }

  /// The name of a field of a product in a list named by ``impressionList(for:)``.
  public class func productImpression(forList list: String!, index: UInt, suffix: String!) -> String! {
    ProductFields.impression(list ?? "", index, suffix ?? "")
  }

  /// The name of a promotion's field.
  #if canImport(ObjectiveC)
    @objc(promotionForIndex:suffix:)
  #endif
  public class func promotion(for index: UInt, suffix: String!) -> String! {
    ProductFields.promotion(index, suffix ?? "")
  }
}
