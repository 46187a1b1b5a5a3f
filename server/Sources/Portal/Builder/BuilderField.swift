/// A control of a form that reads as a sentence.
struct BuilderField {
  /// The word before the control.
  var word: String
  /// The word after the control.
  var after: String?
  /// The accessible name, which screen readers read.
  var label: String
  /// The name of the parameter.
  var name: String
  var value: String
  /// The choices; `nil` for a field with text.
  var options: [(value: String, text: String)]?
  var type = "text"
  /// True for a day, which a calendar helps to choose.
  var isDay = false
  /// The list of suggestions.
  var list: String?
  /// The text in an empty field.
  var placeholder = ""
  /// The class of the style sheet, which hides fields that others make needless.
  var style = ""
  /// False for a field that the style hides.
  var isShown = true
  /// The number of the funnel's step that begins with this field.
  var step: Int?
  /// The mistake in the value, in words; `nil` if there is none.
  var fault: String?

  init(
    word: String, label: String, name: String, value: String, options: [(value: String, text: String)]? = nil,
    style: String = ""
  ) {
    (self.word, self.label, self.name, self.value, self.options, self.style) = (
      word, label, name, value, options, style
    )
  }

  var values: TemplateValues {
    [
      "word": word.isEmpty ? nil : word, "after": after, "caption": label, "name": name, "value": value, "type": type,
      "isDay": isDay,
      "placeholder": placeholder.isEmpty ? nil : placeholder, "suggestions": list, "style": style, "fault": fault,
      "isInput": options == nil, "isChoice": options != nil,
      "options": options?.map { option -> TemplateValues in
        ["value": option.value, "text": option.text, "isChosen": option.value == value]
      },
      "size": String(max(4, min(30, max(value.count, placeholder.count)))),
    ]
  }

  /// The words of the sentence; `nil` for a field that adds nothing to it.
  var words: String? {
    guard isShown else { return nil }
    if let options {
      guard !(value.isEmpty && ["by", "divided by", "compared with"].contains(word.lowercased())) else { return nil }
      return [word, options.first { $0.value == value }?.text ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
    return value.isEmpty ? nil : [word, shown(value)].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
