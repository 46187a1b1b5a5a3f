import Warehouse

/// The page of the rules for groups of errors, of merged groups, and of stacks that were taken out.
package struct ErrorGroupsPage: AppPage {
  package static let place = AppPlace.errorGroups

  let visit: PageVisit
  let decisions: ErrorDecisions
  let merging: Int64?
  let app: App
  let apps: [App]
  let result: FormResult

  /// - Parameter merging: The number of a group for the form that merges it.
  init(
    _ visit: PageVisit, _ decisions: ErrorDecisions, merging: Int64?, app: App, apps: [App],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.decisions, self.merging, self.app, self.apps, self.result) = (
      visit, decisions, merging, app, apps, result
    )
  }

  package init(_ request: some PageRequest) async throws {
    self.init(
      try await request.visit(), try request.catalog.errorDecisions(app: request.app.id),
      merging: request.parameters["group"].flatMap { Int64($0) }, app: request.app, apps: request.apps,
      result: request.result)
  }

  package func html() -> String {
    let address = PortalLinks(app: app.id).page(.errorGroups)
    func lines(_ names: [String]) -> String { names.map { shown($0) }.joined(separator: "\n") }
    let merged = decisions.merged.map { merge -> TemplateValues in
      .row(
        ["\(merge.group)", "\(merge.into)"], [.button("Separate", "separate", id: merge.group, to: address)])
    }
    let split = decisions.split.map { number -> TemplateValues in
      .row(["\(number)"], [.button("Put back", "rejoin", id: number, to: address)])
    }
    let page = ManagementPage(
      title: "Error groups",
      lead: """
        Errors with the same cause are one group: the app's own frames decide. What you change here groups all errors again within \
        seconds, and nothing is lost: each change can be undone.
        """,
      result: result,
      tables: [
        .list("Merged groups", ["Error", "Is part of"], merged, empty: "None"),
        .list(
          "Stacks with a group of their own", ["Error"], split,
          empty: "None. The page of an error can take its stack out."),
      ],
      forms: [
        .form(
          "Frames that don't count", button: "Save", "rules", to: address,
          help: """
            A name in each line; * stands for any text. If a function only reports errors, its callers should decide: skip it, and \
            five places that call it are five groups.
            """,
          [
            .area("Functions", "functions", lines(decisions.rules.skippedFunctions), placeholder: "report(_:)"),
            .area("Source files", "files", lines(decisions.rules.skippedFiles), placeholder: "Log.swift"),
            .area(
              "Executables and libraries", "images", lines(decisions.rules.skippedImages), placeholder: "libvendor*"),
          ]),
        .form(
          "Merge groups", button: "Merge", "merge", to: address,
          help: "The number of an error is in the address of its page.",
          [
            .field("Error", "group", merging.map(String.init) ?? "", type: "number", isRequired: true),
            .field("Is part of", "into", type: "number", isRequired: true),
          ]),
      ])
    return visit.management(page, app: app, apps: apps, place: .errorGroups)
  }
}

extension AppPlace {
  package static let errorGroups = AppPlace("Error groups", "error-groups")
}
