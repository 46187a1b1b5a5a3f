// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernMeasurement

/// Puts the parameters of one hit together; every method returns the builder itself. Not for several threads at a time.
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

  /// Sets several parameters; what has no text for a name, or neither text nor null for a value, is passed over.
  @discardableResult
  public func setAll(_ params: [AnyHashable: Any]!) -> GAIDictionaryBuilder! {
    for (name, value) in params ?? [:] {
      guard let name = name.base as? String else { continue }
      if let text = value as? String { values[name] = text } else if value is NSNull { values[name] = NSNull() }
    }
    return self
  }

  /// The value of a parameter; `nil` when it has none.
  public func get(_ paramName: String!) -> String! { paramName.flatMap { values[$0] as? String } }

  /// The parameters so far; later changes of the builder do not reach what was built.
  public func build() -> NSMutableDictionary! { NSMutableDictionary(dictionary: values) }

  #if !canImport(ObjectiveC)
    /// The same as a dictionary of Swift's, for `build() as [NSObject : AnyObject]`, which only Apple's compiler bridges.
    @_disfavoredOverload
    public func build() -> [NSObject: AnyObject]! {
      var objects: [NSObject: AnyObject] = [:]
      for (name, value) in values { objects[NSString(string: name)] = value as AnyObject }
      return objects
    }
  #endif

  /// Sets the campaign that an address names, or a query alone; of an address that names none, nothing.
  @discardableResult
  public func setCampaignParametersFromUrl(_ urlString: String!) -> GAIDictionaryBuilder! {
    for (name, value) in Campaign.parameters(of: urlString ?? "") { values["&\(name)"] = value }
    return self
  }

  /// The parameters as Swift has them.
  var parameters: [AnyHashable: Any] { values }

  /// Sets what is there, and leaves the rest out.
  func setting(_ pairs: [(name: String, value: String?)]) -> GAIDictionaryBuilder {
    for case (let name, let value?) in pairs { values[name] = value }
    return self
  }
}
