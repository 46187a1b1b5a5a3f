import ArgumentParser
import ServerBase

/// The options for the form of CSV.
struct CSVOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The decimal sign of CSV: point, or comma for spreadsheets in languages with one.", valueName: "sign"),
    transform: { try choice($0) })
  var decimal = CSVStyle.Decimal.point

  @Option(
    help: ArgumentHelp(
      "The texts of CSV: protected, so that no spreadsheet runs one, or raw for programs.", valueName: "form"),
    transform: { try choice($0) })
  var texts = CSVStyle.Texts.protected

  var style: CSVStyle { CSVStyle(decimal: decimal, texts: texts) }
}
