import Questions
import Reports
import ServerBase
import Warehouse

/// Figures as HTML.
extension PageVisit {
  /// A row of tiles as HTML.
  func tiles(_ tiles: [TemplateValues]) -> String { templates.render("tiles", ["tiles": tiles]) }

  /// The numbers behind a chart as a table that opens on demand.
  ///
  /// - Parameters:
  ///   - isNewestFirst: True to begin with the last place.
  ///   - app: The app about whose days editors can write notes; `nil` for none.
  func table(
    _ chart: Chart, _ series: [Chart.Series]? = nil, isNewestFirst: Bool = true, notesOf app: AppID? = nil
  ) -> String {
    let series = series ?? chart.series
    let places = isNewestFirst ? Array(chart.places.indices.reversed()) : Array(chart.places.indices)
    let rows = places.map { place -> TemplateValues in
      let cells = series.map { series -> TemplateValues in
        [
          "text": chart.format.text(series.values[place]),
          "target": series.links.indices.contains(place) ? series.links[place] : nil,
        ]
      }
      let note = reader.canEdit ? chart.places[place].days.flatMap { days in app.map { ($0, days.lowerBound) } } : nil
      return [
        "head": chart.places[place].title, "cells": cells,
        "note": note.map { app, day in PortalLinks(app: app).note(about: day) },
      ]
    }
    return templates.render("table", ["columns": [chart.unit] + series.map(\.name), "rows": rows])
  }
}
