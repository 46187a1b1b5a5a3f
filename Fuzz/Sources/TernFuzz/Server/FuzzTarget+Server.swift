extension FuzzTarget {
  /// The targets with readers of the server, by the names that commands and the directories of the corpus have, what
  /// strangers send first.
  static var server: KeyValuePairs<String, () -> FuzzTarget> {
    [
      "native": { native }, "app-center": { appCenter }, "hits": { hits }, "clients": { clients }, "gzip": { gzip },
      "requests": { requests },
      "questions": { questions }, "imports": { imports }, "rows": { rows }, "packs": { packs },
      "columns": { columns }, "keys": { keys }, "symbols": { symbols },
      "mappings": { mappings },
    ]
  }
}
