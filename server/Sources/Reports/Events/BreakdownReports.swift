import Foundation
public import Warehouse

/// Every event name of the range, most frequent first; 1,000 unless the request says otherwise.
public struct EventsReport: Sendable, Hashable, Encodable {
  /// The events; a share is part of all events.
  public var events: [RankedFigures]

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    events = try await request.ranking(.event, from: source, defaultLimit: 1_000)
  }
}

/// Every screen of the range, most viewed first; 1,000 unless the request says otherwise.
public struct ScreensReport: Sendable, Hashable, Encodable {
  /// The screens; a share is part of all screen views.
  public var screens: [RankedFigures]

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    screens = try await request.ranking(.screen, from: source, defaultLimit: 1_000)
  }
}

/// The app versions of the range, most active first; 200 unless the request says otherwise.
public struct VersionsReport: Sendable, Hashable, Encodable {
  /// The versions, as `version (build)`.
  public var versions: [RankedFigures]

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    versions = try await request.ranking(.version, from: source, defaultLimit: 200)
  }
}

/// The device models and operating systems of the range, most active first; 200 unless the request says otherwise.
///
/// An install whose system was updated during the range counts under both versions.
public struct DevicesReport: Sendable, Hashable, Encodable {
  /// The device models.
  public var models: [RankedFigures]
  /// The operating systems, as `name version`.
  public var systems: [RankedFigures]

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    models = try await request.ranking(.model, from: source, defaultLimit: 200)
    systems = try await request.ranking(.os, from: source, defaultLimit: 200)
  }
}

/// The countries of the range, most active first; all unless the request says otherwise.
public struct CountriesReport: Sendable, Hashable, Encodable {
  /// One country.
  public struct Country: Sendable, Hashable, Encodable {
    /// ISO 3166 code, upper case; empty when unknown.
    public var code: String
    /// English name; `Unknown` without a code, the code itself when it has no name.
    public var name: String
    /// How often.
    public var count: Int
    /// Distinct installs.
    public var users: Int
    /// Part of all, from 0 to 1.
    public var share: Double
  }

  /// The countries.
  public var countries: [Country]

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    let english = Locale(identifier: "en_US")
    countries = try await request.ranking(.country, from: source, defaultLimit: 300).map { figures in
      let code = figures.name
      // Only two letters are a region; other text would be answered with surprising names.
      let isCode = code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
      let name = isCode ? english.localizedString(forRegionCode: code) ?? code : code
      return Country(
        code: code, name: code.isEmpty ? "Unknown" : name, count: figures.count, users: figures.users,
        share: figures.share)
    }
  }
}
