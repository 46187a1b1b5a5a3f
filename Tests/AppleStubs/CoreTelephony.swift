// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

open class CTTelephonyNetworkInfo: NSObject {
  public override init() { fatalError() }
  public var serviceSubscriberCellularProviders: [String: CTCarrier]? { fatalError() }
}

open class CTCarrier: NSObject {
  public var isoCountryCode: String? { fatalError() }
}
