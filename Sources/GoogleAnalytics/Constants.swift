// Parameter names as sent, with the ampersand that marks them, and hit types.

// MARK: General

/// An option of the original, without effect: the collector's URL determines the scheme.
public let kGAIUseSecure = "useSecure"
/// The type of the hit.
public let kGAIHitType = "&t"
/// The property.
public let kGAITrackingId = "&tid"
/// The client: a random identifier of the installation.
public let kGAIClientId = "&cid"
/// The data source.
public let kGAIDataSource = "&ds"
/// Masks the sender's address, whatever the value.
public let kGAIAnonymizeIp = "&aip"
/// Session control: `start` or `end`, for one hit.
public let kGAISessionControl = "&sc"
/// The model of the device.
public let kGAIDeviceModelVersion = "&dm"
/// The resolution of the screen.
public let kGAIScreenResolution = "&sr"
/// The size of the visible area.
public let kGAIViewportSize = "&vp"
/// The encoding of the content.
public let kGAIEncoding = "&de"
/// The depth of colours.
public let kGAIScreenColors = "&sd"
/// The user's language.
public let kGAILanguage = "&ul"
/// True if Java is enabled.
public let kGAIJavaEnabled = "&je"
/// The version of Flash.
public let kGAIFlashVersion = "&fl"
/// True for a hit without user interaction.
public let kGAINonInteraction = "&ni"
/// The referrer.
public let kGAIReferrer = "&dr"
/// The address of the content.
public let kGAILocation = "&dl"
/// The host of the content.
public let kGAIHostname = "&dh"
/// The path of the content.
public let kGAIPage = "&dp"
/// The name of the screen.
public let kGAIDescription = "&cd"
/// The name of the screen.
public let kGAIScreenName = "&cd"
/// The title of the content.
public let kGAITitle = "&dt"
/// Links the hit to an advertisement.
public let kGAIAdMobHitId = "&a"
/// The app's name.
public let kGAIAppName = "&an"
/// The app's version.
public let kGAIAppVersion = "&av"
/// The app's identifier.
public let kGAIAppId = "&aid"
/// The identifier of the installer, such as an app store.
public let kGAIAppInstallerId = "&aiid"
/// The app's own identifier for the user.
public let kGAIUserId = "&uid"
/// The sample rate, in percent of clients.
public let kGAISampleRate = "&sf"
/// The advertising identifier; sent only if allowed, never looked up.
public let kGAIIdfa = "&idfa"
/// True if targeted advertising is allowed; sent only if the tracker may.
public let kGAIAdTargetingEnabled = "&ate"

// MARK: Events, social interactions, timings, exceptions

/// The event's category.
public let kGAIEventCategory = "&ec"
/// The event's action.
public let kGAIEventAction = "&ea"
/// The event's label.
public let kGAIEventLabel = "&el"
/// The event's value.
public let kGAIEventValue = "&ev"
/// The social network.
public let kGAISocialNetwork = "&sn"
/// The social action.
public let kGAISocialAction = "&sa"
/// The target of the social action.
public let kGAISocialTarget = "&st"
/// The timing's category.
public let kGAITimingCategory = "&utc"
/// The timing's variable.
public let kGAITimingVar = "&utv"
/// The timing's value, in milliseconds.
public let kGAITimingValue = "&utt"
/// The timing's label.
public let kGAITimingLabel = "&utl"
/// The exception's description.
public let kGAIExDescription = "&exd"
/// True for a fatal exception.
public let kGAIExFatal = "&exf"

// MARK: Transactions, items, campaigns

/// The transaction's identifier.
public let kGAITransactionId = "&ti"
/// The store or affiliation.
public let kGAITransactionAffiliation = "&ta"
/// The revenue, with tax and shipping.
public let kGAITransactionRevenue = "&tr"
/// The shipping.
public let kGAITransactionShipping = "&ts"
/// The tax.
public let kGAITransactionTax = "&tt"
/// The currency.
public let kGAICurrencyCode = "&cu"
/// The item's price.
public let kGAIItemPrice = "&ip"
/// The quantity.
public let kGAIItemQuantity = "&iq"
/// The item's code.
public let kGAIItemSku = "&ic"
/// The item's name.
public let kGAIItemName = "&in"
/// The item's category.
public let kGAIItemCategory = "&iv"
/// The campaign's source.
public let kGAICampaignSource = "&cs"
/// The campaign's medium.
public let kGAICampaignMedium = "&cm"
/// The campaign's name.
public let kGAICampaignName = "&cn"
/// The campaign's keyword.
public let kGAICampaignKeyword = "&ck"
/// The campaign's content.
public let kGAICampaignContent = "&cc"
/// The campaign's identifier.
public let kGAICampaignId = "&ci"
/// The advertising network's identifier for the click.
public let kGAICampaignAdNetworkClickId = "&aclid"
/// The advertising network.
public let kGAICampaignAdNetworkId = "&anid"

// MARK: Types of hits

/// A screen view; deprecated.
public let kGAIAppView = "appview"
/// A screen view.
public let kGAIScreenView = "screenview"
/// An event.
public let kGAIEvent = "event"
/// A social interaction.
public let kGAISocial = "social"
/// A purchase.
public let kGAITransaction = "transaction"
/// An item of a purchase.
public let kGAIItem = "item"
/// A crash or an error.
public let kGAIException = "exception"
/// A timing.
public let kGAITiming = "timing"
