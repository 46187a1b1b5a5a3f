import Ingest
import TernEvents

extension FuzzTarget {
  /// Hits of the Measurement Protocol, one per line.
  static var hits: FuzzTarget {
    let check = BatchCheck { input, received in
      let request = RequestText(input)
      return MeasurementParser.batch(
        request.body, userAgent: request.header("User-Agent"), received: received, key: key
      ).map(\.batch)
    }
    return FuzzTarget(changes: 12, mutator: .form(names: HitVocabulary.names, values: HitVocabulary.values)) { input in
      check.add(input)
      // A single hit, in an address.
      _ = MeasurementParser.collect(input, received: FuzzTarget.moments[0], key: key)
      _ = MeasurementValidation(input)
    } finish: {
      check.finish()
    }
  }

  /// A secret that does not change, so that each run is like the one before.
  static let key = DuplicateHashKey(1, 2)
}

/// The parameters of hits.
enum HitVocabulary {
  static let names =
    """
    v t tid cid uid qt sc uip ua z ds ni aip cd dp dl dt dr dh an av aid aiid ec ea el ev sn sa st utc utv utl utt exd exf \
    ti ta tr ts tt cu in ic iv ip iq pa pal pls col cos tcc cs cm cn ck cc ci gclid cd1 cd2 cd3 cd200 cm1 cm2 cm3 cm200 \
    cg1 cg10 ul sr vp de sd linkid xid xvar ht _s _v promoa promo1id promo1nm promo1cr promo1ps pr1id pr1nm pr1br pr1ca \
    pr1va pr1pr pr1qt pr1ps pr1cc pr1cd1 pr1cm1 pr2nm pr2id pr2pr pr2qt pr3nm pr3pr pr3qt pr200nm pr200pr il1nm il1pi1id \
    il1pi1nm il1pi1pr il1pi1ps il2nm il2pi3id plt dns srt
    """.split(separator: " ").map(String.init)

  static let values = [
    "screenview", "pageview", "event", "exception", "transaction", "item", "social", "timing", "purchase", "refund",
    "detail", "add", "remove", "checkout", "checkout_option", "click", "promo_click", "start", "end", "O1", "O2", "A",
    "",
    "EUR", "9.99", "2", "14400000",
    "%C3%A9", "e%CC%81", "%", "%00", "a%2Fb",
  ]
}
