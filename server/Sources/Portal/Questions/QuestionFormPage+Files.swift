import JSON
import Questions
import Reports
import Warehouse

extension QuestionFormPage {
  /// The links to the files of a page, with those of the other side of its comparison.
  func downloads(_ form: QuestionForm, _ links: PortalLinks, today: Day) -> [TemplateValues] {
    guard let files = try? form.files(), let first = files.first else { return [] }
    func lines(_ form: QuestionForm, _ files: [QuestionFile], side: String? = nil) -> [TemplateValues] {
      files.map { file in
        [
          "title": [file.title, side].compactMap { $0 }.joined(separator: ", "),
          "formats": visit.formats(["json", "ndjson"]) { links.question(form.page, form.query(file, $0)) },
        ]
      }
    }
    let comparison = try? form.comparison(of: first.question.scope, today: today)
    let other = comparison.map { ($0.name, form.otherSide(of: $0)) }
    return lines(form, files)
      + (other.map { name, form in lines(form, (try? form.files()) ?? [], side: name) } ?? [])
  }

  /// The commands that ask the API the questions of a page.
  func commands(_ form: QuestionForm, _ app: App) -> [TemplateValues] {
    guard let files = try? form.withoutSegment.files() else { return [] }
    return files.map { file in
      let question = file.question.json(segment: form["segment"].flatMap { Int($0) })
      return [
        "title": files.count > 1 ? file.title : nil,
        "command": """
        curl \(CodeText.shellWord("\(visit.serverAddress)/api/v1/apps/\(app.id)/\(file.question.kind.rawValue)\(visit.allowance("?"))")) \\
          -H "Authorization: Bearer $TOKEN" \\
          -d \(CodeText.shellWord(String(decoding: question.encoded, as: UTF8.self)))
        """,
      ]
    }
  }
}
