import AppCatalog
import ArgumentParser
import Warehouse

/// The settings of a new view.
struct ViewSettingsOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Minutes of silence that end a session, from 1 to 240.", valueName: "minutes"))
  var sessionTimeout = 30

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The duration of a campaign in days, from 1 to 731.", valueName: "days")
  )
  var campaignDays = ViewSettings().campaignDays

  @Flag(help: "Leave out hits beyond the 500th of their session.")
  var quotas = false

  @Option(help: ArgumentHelp("The label of amounts of money, for example EUR.", valueName: "code"))
  var currency = ""

  @Flag(name: .customLong("user-id"), help: "Count users by uid, and only sessions with one.")
  var userID = false

  @Flag(help: "With --user-id: count only hits that contain the uid themselves.")
  var noUnification = false

  func validate() throws {
    if noUnification, !userID { throw ValidationError("--no-unification needs --user-id.") }
    // As seconds it must not overflow; the catalog checks the range.
    guard (0...100_000).contains(sessionTimeout) else {
      throw ValidationError(ViewSettings.sessionTimeoutFault)
    }
  }

  var settings: ViewSettings {
    ViewSettings(
      sessionTimeout: .seconds(sessionTimeout * 60), campaignDays: campaignDays, hasQuotas: quotas,
      currency: currency, identity: !userID ? .client : noUnification ? .explicitUser : .user)
  }
}
