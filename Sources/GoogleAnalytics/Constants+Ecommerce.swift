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
/// The quantity.
public let kGAIProductQuantity = "qt"
/// A product's coupon.
public let kGAIProductCouponCode = "cc"
/// A product's position in a list.
public let kGAIProductPosition = "ps"

// MARK: Actions with products

/// The action taken with the products.
public let kGAIProductAction = "&pa"
/// A product's details were viewed.
public let kGAIPADetail = "detail"
/// A product was clicked in a list.
public let kGAIPAClick = "click"
/// A product was added to the cart.
public let kGAIPAAdd = "add"
/// A product was removed from the cart.
public let kGAIPARemove = "remove"
/// A checkout step.
public let kGAIPACheckout = "checkout"
/// A checkout option.
public let kGAIPACheckoutOption = "checkout_option"
/// A purchase.
public let kGAIPAPurchase = "purchase"
/// A refund.
public let kGAIPARefund = "refund"
/// The transaction's identifier.
public let kGAIPATransactionId = "&ti"
/// The store or affiliation.
public let kGAIPAAffiliation = "&ta"
/// The revenue.
public let kGAIPARevenue = "&tr"
/// The tax.
public let kGAIPATax = "&tt"
/// The shipping.
public let kGAIPAShipping = "&ts"
/// The order's coupon.
public let kGAIPACouponCode = "&tcc"
/// The checkout step.
public let kGAICheckoutStep = "&cos"
/// The checkout option.
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
/// A product's position in the list.
public let kGAIImpressionProductPosition = "ps"
/// A product's price.
public let kGAIImpressionProductPrice = "pr"
/// A promotion's identifier.
public let kGAIPromotionId = "id"
/// A promotion's name.
public let kGAIPromotionName = "nm"
/// A promotion's creative.
public let kGAIPromotionCreative = "cr"
/// A promotion's position.
public let kGAIPromotionPosition = "ps"
/// The action taken with the promotions.
public let kGAIPromotionAction = "&promoa"
/// A promotion was viewed.
public let kGAIPromotionView = "view"
/// A promotion was clicked.
public let kGAIPromotionClick = "click"
