import Reports
import Warehouse

/// An entry of the menu. Its pages are tabs of each other.
struct NavigationEntry {
  var label: String
  /// The path of the icon, on a grid of 20 by 20.
  var icon: String
  var pages: [NavigationPage]

  var isActive: Bool { pages.contains(where: \.isActive) }

  /// The values of the entry in the menu; `nil` if the reader may open none of its pages.
  var values: TemplateValues? {
    pages.first.map { first in
      [
        "icon": Icon.svg(icon), "label": label, "link": first.link,
        // With tabs, the current page is the one that is marked among them.
        "current": isActive ? pages.count > 1 ? "true" : "page" : nil,
      ]
    }
  }
}

/// A page of an app in the navigation.
struct NavigationPage {
  var label: String
  var link: String
  var isActive: Bool
}

/// The entries of the menu: a group's caption, and its entries in order.
struct NavigationGroup {
  var caption: String?
  var entries: [NavigationEntry]
}

extension PortalPages {
  /// The menu of an app's page: at most twelve entries.
  func navigation(_ shell: Shell, _ links: PortalLinks) -> [NavigationGroup] {
    [
      NavigationGroup(entries: ReportNavigation.Entry.allCases.map { reports($0, shell, links) }),
      NavigationGroup(caption: "Questions", entries: questions(shell, links)),
      NavigationGroup(caption: "App", entries: [views(shell, links), settings(shell, links)]),
    ]
  }

  private func reports(_ entry: ReportNavigation.Entry, _ shell: Shell, _ links: PortalLinks) -> NavigationEntry {
    let listed = reports.app.filter {
      $0.navigation?.entry == entry && (reader.seesPersonalData || !$0.showsPersonalData)
    }
    var pages = listed.compactMap { report in
      report.navigation.map { navigation in
        NavigationPage(
          label: navigation.label, link: links.page(report),
          isActive: shell.request?.view == nil && (shell.report == report || shell.report?.parent == report.name))
      }
    }
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
    let places = settingsTabs.filter { reader.canEdit || $0.isForReaders }
    return NavigationEntry(
      label: "Settings", icon: Icon.settings, pages: places.map { page($0, shell, links) })
  }

  private func page(_ place: AppPlace, _ shell: Shell, _ links: PortalLinks) -> NavigationPage {
    NavigationPage(
      label: place.label, link: links.page(place), isActive: shell.place == place && shell.request?.view == nil)
  }
}

extension [NavigationGroup] {
  /// The menu.
  var values: [TemplateValues] {
    map { ["caption": $0.caption, "items": $0.entries.compactMap(\.values)] }
  }

  /// The tabs of the active entry; `nil` if it has only one page.
  var tabs: TemplateValues? {
    lazy.flatMap(\.entries).first { $0.isActive && $0.pages.count > 1 }.map { entry in
      [
        "name": entry.label,
        "links": entry.pages.map { TemplateValues.link($0.label, $0.link, isActive: $0.isActive) },
      ]
    }
  }
}
