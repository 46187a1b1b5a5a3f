extension FuzzTarget {
  static var all: KeyValuePairs<String, () -> FuzzTarget> { server }
}
