// The names of enhanced ecommerce. Suffixes follow a number; names with an ampersand stand alone.

// MARK: Products

/// A product's identifier.
public let kGAIProductId = "id"
/// A product's name.
public let kGAIProductName = "nm"
/// A product's brand.
public let kGAIProductBrand = "br"
/// A product's category.
public let kGAIProductCategory = "ca"
/// A product's variant.
public let kGAIProductVariant = "va"
/// A product's price.
public let kGAIProductPrice = "pr"
/// How many.
public let kGAIProductQuantity = "qt"
/// A product's coupon.
public let kGAIProductCouponCode = "cc"
/// A product's place in a list.
public let kGAIProductPosition = "ps"

// MARK: Actions with products

/// What was done with the products.
public let kGAIProductAction = "&pa"
/// Looked at.
public let kGAIPADetail = "detail"
/// Chosen in a list.
public let kGAIPAClick = "click"
/// Put into the basket.
public let kGAIPAAdd = "add"
/// Taken out of the basket.
public let kGAIPARemove = "remove"
/// On the way to be bought.
public let kGAIPACheckout = "checkout"
/// An option on the way.
public let kGAIPACheckoutOption = "checkout_option"
/// Bought.
public let kGAIPAPurchase = "purchase"
/// Given back.
public let kGAIPARefund = "refund"
/// The transaction's identifier.
public let kGAIPATransactionId = "&ti"
/// The shop.
public let kGAIPAAffiliation = "&ta"
/// The revenue.
public let kGAIPARevenue = "&tr"
/// The tax.
public let kGAIPATax = "&tt"
/// The shipping.
public let kGAIPAShipping = "&ts"
/// The order's coupon.
public let kGAIPACouponCode = "&tcc"
/// The step on the way.
public let kGAICheckoutStep = "&cos"
/// The option at the step.
public let kGAICheckoutOption = "&col"
/// The list that the products come from.
public let kGAIProductActionList = "&pal"
/// The source of that list.
public let kGAIProductListSource = "&pls"

// MARK: Impressions and promotions

/// A list's name.
public let kGAIImpressionName = "nm"
/// A list's source.
public let kGAIImpressionListSource = "ls"
/// A product in a list.
public let kGAIImpressionProduct = "pi"
/// A product's identifier.
public let kGAIImpressionProductId = "id"
/// A product's name.
public let kGAIImpressionProductName = "nm"
/// A product's brand.
public let kGAIImpressionProductBrand = "br"
/// A product's category.
public let kGAIImpressionProductCategory = "ca"
/// A product's variant.
public let kGAIImpressionProductVariant = "va"
/// A product's place in the list.
public let kGAIImpressionProductPosition = "ps"
/// A product's price.
public let kGAIImpressionProductPrice = "pr"
/// A promotion's identifier.
public let kGAIPromotionId = "id"
/// A promotion's name.
public let kGAIPromotionName = "nm"
/// A promotion's creative.
public let kGAIPromotionCreative = "cr"
/// A promotion's place.
public let kGAIPromotionPosition = "ps"
/// What was done with the promotions.
public let kGAIPromotionAction = "&promoa"
/// Seen.
public let kGAIPromotionView = "view"
/// Chosen.
public let kGAIPromotionClick = "click"
