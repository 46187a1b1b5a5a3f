// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

/// Builds the parameters of one hit; every method returns the builder. Not thread-safe.
#if canImport(ObjectiveC)
  @objcMembers @objc(GAIDictionaryBuilder)
#endif
public final class GAIDictionaryBuilder: NSObject {
  private var values: [String: Any] = [:]
  var numbers = ProductFields()

  /// Creates an empty builder.
  public override init() { super.init() }

  /// Sets a parameter; `nil` removes it.
  @discardableResult
  public func set(_ value: String!, forKey key: String!) -> GAIDictionaryBuilder! {
    if let key { values[key] = value }
    return self
  }

  /// Sets several parameters; skips names that are not strings, and values that are neither strings nor null.
  @discardableResult
  public func setAll(_ params: [AnyHashable: Any]!) -> GAIDictionaryBuilder! {
    for (name, value) in params ?? [:] {
      guard let name = name.base as? String else { continue }
      if let text = value as? String { values[name] = text } else if value is NSNull { values[name] = NSNull() }
    }
    return self
  }

  /// The value of a parameter, or `nil` if it has none.
  public func get(_ paramName: String!) -> String! { paramName.flatMap { values[$0] as? String } }

  /// Returns the parameters so far; later changes of the builder don't affect the result.
  public func build() -> NSMutableDictionary! { NSMutableDictionary(dictionary: values) }

  #if !canImport(ObjectiveC)
    /// The same as a Swift dictionary, for `build() as [NSObject : AnyObject]`, which only Apple's compiler bridges.
    @_disfavoredOverload
    public func build() -> [NSObject: AnyObject]! {
      var objects: [NSObject: AnyObject] = [:]
      for (name, value) in values { objects[NSString(string: name)] = value as AnyObject }
      return objects
    }
  #endif

  /// Sets the campaign parameters found in a URL or a query string.
  @discardableResult
  public func setCampaignParametersFromUrl(_ urlString: String!) -> GAIDictionaryBuilder! {
    for (name, value) in Campaign.parameters(of: urlString ?? "") { values["&\(name)"] = value }
    return self
  }

  /// The parameters as Swift strings.
  var parameters: [AnyHashable: Any] { values }

  /// Sets the parameters that have a value.
  func setting(_ pairs: [(name: String, value: String?)]) -> GAIDictionaryBuilder {
    for case (let name, let value?) in pairs { values[name] = value }
    return self
  }
}
