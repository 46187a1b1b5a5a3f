import Reports
import Warehouse

extension PageVisit {
  /// The page of an app around its content.
  func page(_ shell: Shell, body: String) -> String {
    if reader.isGuest { return guestPage(shell, body: body) }
    let links = shell.request.map { PortalLinks($0) } ?? shell.links ?? PortalLinks(app: shell.app.id)
    let request = shell.ranged
    let downloads = shell.request.map { self.downloads($0, shell.comparison) } ?? []
    let others = shell.apps.map { app -> TemplateValues in
      .link(shown(app.name), PortalLinks(app: app.id, range: links.range).home)
    }
    let menu = navigation(shell, links)
    let values: TemplateValues = [
      "findLink": links.page(FindPage.place), "isFind": shell.place == FindPage.place,
      "tern": Icon.tern, "appName": shown(shell.app.name), "overviewLink": links.home,
      "hasSwitch": others.count > 1, "others": others, "groups": menu.values, "tabs": menu.tabs, "heading": shell.title,
      "breadcrumb": shell.breadcrumb?.values, "days": request?.days.text, "against": shell.comparison?.against,
      "range": (request.map { RangeControl($0, mistake: rangeMistake) } ?? shell.range)?.values,
      "timeZone": shell.timeZone,
      "downloads": downloads, "isOpen": request?.includesToday,
      "content": body, "reader": shown(reader.name),
      "filterbar": (shell.hasFilter ? shell.request : nil).flatMap(filterBar).map { html($0) } ?? "",
      "problems": Set(server.problems().map { reader.isOwner ? $0.detail : $0.summary }).sorted()
        + server.refusals(shell.app.id)
        + [server.zoneChange(shell.app.id)?.text].compactMap { $0.map { visible($0) } },
      "kept": request.flatMap { keepingNotice($0, shell.app) },
      "unfiltered": request.flatMap(unfilteredNotice),
      "share": reader.canEdit
        ? shell.share
          ?? shell.request.flatMap {
            $0.report.showsPersonalData || !$0.filter.isEmpty && !$0.isFilterable ? nil : links.share($0)
          } : nil,
    ]
    return layout(
      title: "\(shell.title) · \(shown(shell.app.name))", body: templates.render("shell", values),
      script: shell.script)
  }

  /// The links to the files of a report, with those of the other side if the page shows it.
  private func downloads(_ request: ReportRequest, _ comparison: Comparison?) -> [TemplateValues] {
    // The API refuses those who may not see personal data.
    guard reader.seesPersonalData || !request.report.showsPersonalData else { return [] }
    func files(_ title: String, _ request: ReportRequest) -> TemplateValues {
      [
        "title": title,
        "formats": formats(["json"]) { PortalLinks(request).download(request, $0) + allowance("&") },
      ]
    }
    guard request.comparison != nil, let comparison else { return [files("Download", request)] }
    return [
      files("Download", request), files(comparison.name, comparison.other(request, over: comparison.otherDays)),
    ]
  }

  /// The page for readers of a shared link, without navigation, forms and links.
  private func guestPage(_ shell: Shell, body: String) -> String {
    let (request, asked) = (shell.ranged, shell.asked)
    let (heading, filters) = (reader.sharedName ?? shell.title, asked?.filters ?? request.map(filterWords) ?? [])
    let values: TemplateValues = [
      "appName": shown(shell.app.name), "heading": heading, "days": asked?.days ?? request?.days.text,
      "against": asked?.comparison?.against ?? shell.comparison?.against, "timeZone": shell.timeZone,
      "isOpen": asked?.isOpen ?? request?.includesToday,
      "filters": filters, "isFiltered": !filters.isEmpty, "kept": request.flatMap { keepingNotice($0, shell.app) },
      "recounting": server.zoneChange(shell.app.id).map { visible($0.text) },
      "content": GuestContent.withoutLinks(body),
    ]
    // A shared dashboard on a wall keeps itself current.
    return layout(
      title: "\(heading) · \(shown(shell.app.name))", body: templates.render("shared", values),
      script: shell.place == .dashboards ? shell.script : nil)
  }
}
