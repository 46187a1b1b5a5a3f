import Foundation
import Reports
import Testing
import Warehouse

@testable import Portal

/// The search over an app's pages and names.
struct FindPageTests {
  private func found(_ search: String, _ names: [String], limit: Int = 10) -> [String] {
    Finder(search).found(names, limit: limit) { $0 }.things
  }

  @Test func `a name is found by each of its parts, whatever the case and accents`() {
    for search in ["café", "CAFE", "fé o", "ouvert caf", " ouvert  "] {
      #expect(found(search, ["Café ouvert"]) == ["Café ouvert"], "\(search)")
    }
    for search in ["cafés", "ouvert x"] { #expect(found(search, ["Café ouvert"]).isEmpty, "\(search)") }
  }

  @Test func `names that begin with the search come first, then those of which a word does`() {
    let names = ["Replay", "Video play", "Play", "Display", "Player open", "Play"]
    #expect(found("play", names) == ["Play", "Player open", "Play", "Video play", "Replay", "Display"])
    #expect(Finder("play").found(names, limit: 2) { $0 }.others == 4)
  }

  @Test func `an empty search finds everything in its order, and a long one is cut`() {
    for search in ["", "  ", "…"] {
      #expect(Finder(search).isEmpty)
      #expect(found(search, ["b", "a"]) == ["b", "a"])
    }
    #expect(Finder(String(repeating: "ä", count: 1_000)).text.utf8.count == Finder.maximumBytes)
  }

  @Test func `what is found leads to its page`() throws {
    var names = FindPage.Names()
    (names.events, names.screens, names.releases) = (["Song started"], ["Song list"], ["2.1 (7)"])
    let sample = try SamplePages("Song")
    let board = Dashboard(
      id: 4, app: sample.app.id, name: "Songs", cards: [], author: "a", changed: SamplePages.now)
    func links(_ search: String, _ page: SamplePages) -> [String] {
      let html = FindPage(
        page.visit, search, names, dashboards: [board], segments: [], app: page.app, apps: [page.app]
      ).html()
      return PageScanner(html.components(separatedBy: "class=\"found\"")[1]).tags.compactMap { $0["href"] }
    }
    #expect(
      links("song", sample).prefix(3) == [
        "/apps/1/dashboards/4", "/apps/1/event?event=Song%20started", "/apps/1?f1=screen+is+Song+list",
      ])
    #expect(links("2.1", sample).first == "/apps/1?f1=version+is+2.1+(7)")
    #expect(links("versi", sample).first == "/apps/1/versions")
    #expect(links("u-1", sample).first == "/apps/1/people?f1=user+is+u-1")
    var viewer = sample
    viewer.reader = PortalReader(canEdit: false, seesPersonalData: false, isOwner: false)
    #expect(links("u-1", viewer).isEmpty)
    #expect(links("limits", viewer).isEmpty)
  }
}
