extension FuzzTarget {
  /// The targets with readers of the SDK, by the names that commands and the directories of the corpus have.
  static var device: KeyValuePairs<String, () -> FuzzTarget> {
    ["segments": { segments }, "responses": { responses }, "netlink": { netlink }, "crashes": { crashes }]
  }
}
