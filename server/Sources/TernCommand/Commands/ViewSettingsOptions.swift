import AppCatalog
import ArgumentParser
import Warehouse

/// The settings of a view that is created.
struct ViewSettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Minutes of silence that end a session, from 1 to 240.", valueName: "minutes"))
  var sessionTimeout = 30

  @Option(help: ArgumentHelp("Days that a campaign lasts, from 1 to 731.", valueName: "days"))
  var campaignDays = ViewSettings().campaignDays

  @Flag(help: "Do not process hits beyond the 500th of their session.")
  var quotas = false

  @Option(help: ArgumentHelp("What amounts of money are in, for example EUR; a label.", valueName: "code"))
  var currency = ""

  @Flag(name: .customLong("user-id"), help: "Count users by uid, and only sessions that have one.")
  var userID = false

  @Flag(help: "With --user-id: only hits that name the uid themselves.")
  var noUnification = false

  func validate() throws {
    if noUnification, !userID { throw ValidationError("--no-unification goes with --user-id.") }
    // As seconds it must not overflow; the catalog says what is allowed.
    guard (0...100_000).contains(sessionTimeout) else {
      throw ValidationError("A session time-out is from 1 to 240 minutes.")
    }
  }

  var settings: ViewSettings {
    ViewSettings(
      sessionTimeout: .seconds(sessionTimeout * 60), campaignDays: campaignDays, hasQuotas: quotas,
      currency: currency, identity: !userID ? .client : noUnification ? .explicitUser : .user)
  }
}
