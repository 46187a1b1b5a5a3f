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
public let kGAIProductActionDetail = "detail"
/// Chosen in a list.
public let kGAIProductActionClick = "click"
/// Put into the basket.
public let kGAIProductActionAdd = "add"
/// Taken out of the basket.
public let kGAIProductActionRemove = "remove"
/// On the way to be bought.
public let kGAIProductActionCheckout = "checkout"
/// An option on the way.
public let kGAIProductActionCheckoutOption = "checkout_option"
/// Bought.
public let kGAIProductActionPurchase = "purchase"
/// Given back.
public let kGAIProductActionRefund = "refund"
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

/// A product's identifier.
public let kGAIImpressionId = "id"
/// A product's name.
public let kGAIImpressionName = "nm"
/// A product's brand.
public let kGAIImpressionBrand = "br"
/// A product's category.
public let kGAIImpressionCategory = "ca"
/// A product's variant.
public let kGAIImpressionVariant = "va"
/// A product's place in the list.
public let kGAIImpressionPosition = "ps"
/// A product's price.
public let kGAIImpressionPrice = "pr"
/// The list's name.
public let kGAIImpressionListName = "nm"
/// The list's source.
public let kGAIImpressionListSource = "ls"
/// A product in a list.
public let kGAIImpressionProduct = "pi"
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
