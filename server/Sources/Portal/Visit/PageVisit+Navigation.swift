import Reports
import Warehouse

extension PageVisit {
  /// The menu of an app's page: at most twelve entries.
  func navigation(_ shell: Shell, _ links: PortalLinks) -> [NavigationGroup] {
    [
      NavigationGroup(entries: ReportNavigation.Entry.allCases.map { reports($0, shell, links) }),
      NavigationGroup(caption: "Questions", entries: questions(shell, links)),
      NavigationGroup(caption: "App", entries: [views(shell, links), settings(shell, links)]),
    ]
  }

  private func reports(_ entry: ReportNavigation.Entry, _ shell: Shell, _ links: PortalLinks) -> NavigationEntry {
    let listed = server.reports.app.filter {
      $0.navigation?.entry == entry && (reader.seesPersonalData || !$0.showsPersonalData)
    }
    var pages = listed.compactMap { report in
      report.navigation.map { navigation in
        NavigationPage(
          label: navigation.label, link: links.page(report),
          isActive: shell.request?.view == nil && (shell.report == report || shell.report?.parent == report.name))
      }
    }
    // The first page of an app, and the overview beside it.
    if entry == .overview { pages.insert(question(.releases, shell, links), at: 0) }
    if entry == .audience, reader.seesPersonalData { pages.append(question(.people, shell, links)) }
    return NavigationEntry(label: entry.rawValue, icon: Icon.path(of: entry), pages: pages)
  }

  private func questions(_ shell: Shell, _ links: PortalLinks) -> [NavigationEntry] {
    func entry(_ pages: QuestionPage...) -> NavigationEntry {
      NavigationEntry(
        label: pages[0].title, icon: pages[0].definition.icon, pages: pages.map { question($0, shell, links) })
    }
    var board = self.page(.dashboards, shell, links)
    board.link = links.filtered(board.link)
    let boards = NavigationEntry(label: board.label, icon: Icon.dashboards, pages: [board])
    return [boards, entry(.explore), entry(.funnels), entry(.retention, .lifecycle), entry(.paths)]
  }

  private func question(_ page: QuestionPage, _ shell: Shell, _ links: PortalLinks) -> NavigationPage {
    NavigationPage(
      label: page.title, link: links.question(page, links.state(of: page)), isActive: shell.question == page)
  }

  private func views(_ shell: Shell, _ links: PortalLinks) -> NavigationEntry {
    var page = self.page(.views, shell, links)
    if shell.request?.view != nil { page.isActive = true }
    return NavigationEntry(label: page.label, icon: Icon.views, pages: [page])
  }

  private func settings(_ shell: Shell, _ links: PortalLinks) -> NavigationEntry {
    let places = PageList.settings.map { $0.place }.filter { reader.canEdit || $0.right == .read }
    return NavigationEntry(
      label: "Settings", icon: Icon.settings, pages: places.map { page($0, shell, links) })
  }

  private func page(_ place: AppPlace, _ shell: Shell, _ links: PortalLinks) -> NavigationPage {
    NavigationPage(
      label: place.label, link: links.page(place), isActive: shell.place == place && shell.request?.view == nil)
  }
}
