extension Corpus {
  private static let client = "v=1&tid=UA-1-1&cid=c1&an=Player&av=1.2&"

  /// One hit of each kind, and sessions with several.
  static let hits = texts(
    single.map { client + $0 }
      + [
        // A day in an app, with hits of two clients and of a user.
        """
        !User-Agent: Player/1.2 (iPhone; iOS 17.4; pt_BR)
        \(client)t=screenview&cd=Home&qt=7200000&sc=start
        \(client)t=screenview&cd=Films&qt=7000000&cd1=gold&cm1=5
        \(client)t=event&ec=Video&ea=Play&el=Film&ev=3&qt=6000000
        v=1&tid=UA-1-1&cid=c2&t=screenview&cd=Home&qt=500000&uid=u1
        v=1&tid=UA-1-1&uid=u1&t=screenview&cd=Home&qt=1000
        """,
        // An order, from the product to the refund.
        [
          "t=event&ec=Shop&ea=See&pa=detail&pr1id=S1&pr1nm=Shoe&pr1pr=10&pr1br=Tern&pal=Home",
          "t=event&ec=Shop&ea=Add&pa=add&pr1id=S1&pr1nm=Shoe&pr1pr=10&pr1qt=2",
          "t=event&ec=Shop&ea=Go&pa=checkout&cos=1&col=Card&pr1id=S1&pr1nm=Shoe",
          "t=event&ec=Shop&ea=Buy&pa=purchase&ti=O1&ta=Shop&tr=22&tt=2&ts=3.5&cu=EUR&pr1id=S1&pr1pr=10&pr1qt=2",
          "t=event&ec=Shop&ea=Back&pa=refund&ti=O1&pr1id=S1&pr1qt=1&pr1pr=10",
          "t=event&ec=Shop&ea=Back&pa=refund&ti=O1",
        ].map { client + $0 }.joined(separator: "\n"),
        // The same, with the older hits.
        [
          "t=transaction&ti=O2&ta=Shop&tr=8&tt=1&ts=0.5&cu=EUR", "t=item&ti=O2&in=Hat&ic=H1&iv=Hats&ip=2&iq=4",
          "t=event&ec=Shop&ea=Back&pa=refund&ti=O2",
        ].map { client + $0 }.joined(separator: "\n"),
      ])

  private static let single = [
    "t=screenview&cd=Home", "t=appview&cd=Home&sc=start", "t=pageview&dl=https%3A%2F%2Fexample.com%2Fa&dt=A&dr=b",
    "t=pageview&dp=%2Fhome&dh=example.com&sr=1170x2532&vp=10x10&de=UTF-8&sd=24-bits&ul=pt-br",
    "t=event&ec=Video&ea=Play&el=Film&ev=30", "t=event&ec=Video&ea=Play&ni=1", "t=event&pa=detail&pr1nm=A",
    "t=exception&exd=Crash&exf=1", "t=exception&exd=Failed&exf=0", "t=social&sn=Net&sa=like&st=Film",
    "t=timing&utc=Load&utv=Start&utt=350&utl=Cold", "t=timing&utc=Load&utv=Start&utt=12000&plt=3&dns=2&srt=1",
    "t=screenview&cd=Home&cs=news&cm=email&cn=may&ck=key&cc=content&ci=id&gclid=g",
    "t=screenview&cd=Home&cd1=gold&cd2=blue&cd3=x&cd200=y&cm1=7&cm2=1.5&cm3=-3&cg1=A%2FB&cg10=C",
    "t=screenview&cd=Home&uid=u1&qt=3600000&_s=2&z=17&aip=1&uip=192.0.2.7&ds=app",
    "t=event&ec=P&ea=See&promo1id=P1&promo1nm=Summer&promo1cr=A&promo1ps=top",
    "t=event&ec=P&ea=Tap&promoa=click&promo1id=P1&promo1nm=Summer",
    "t=event&ec=L&ea=See&il1nm=List&il1pi1id=S1&il1pi1nm=Shoe&il1pi1pr=10&il1pi1ps=1&il2pi1nm=Lace",
    "t=event&ec=L&ea=Tap&pa=click&pal=List&pr1id=S1&pr1nm=Shoe&pr1ps=2",
    "t=event&ec=C&ea=R&pa=remove&pr1nm=Shoe&pr1qt=1",
    "t=event&ec=C&ea=O&pa=checkout_option&cos=2&col=Post", "t=transaction&ti=O1&tr=%2415.50",
    "t=item&ti=O1&in=Hat&ip=2.5&iq=3", "t=event&ec=B&ea=B&pa=purchase&ti=O3&tr=12.3456789&cu=USD&tcc=MAY",
    "t=event&ec=B&ea=B&pa=purchase&ti=O4&pr1nm=Shoe&pr1pr=10&pr1qt=3&pr2nm=Lace&pr2pr=0.5&pr1cd1=x&pr1cm1=4&pr1cc=CODE",
    "t=event&ec=B&ea=B&pa=refund&ti=O4&pr1nm=Shoe&pr1pr=10&pr1qt=3&pr2nm=Lace&pr2pr=0.5",
    "t=event&ec=B&ea=B&pa=refund&ti=O9",
    "t=event&ec=B&ea=B&pa=refund&pr1nm=Shoe&pr1pr=10&pr1qt=3&pr2nm=B&pr2pr=0.5&pr2qt=2&pr3nm=C&pr3pr=5&pr3qt=1",
    "t=event&ea=B&pa=refund&ti=O5&pr1nm=A&pr1pr=1&pr1qt=2&pr2nm=B&pr2pr=3&pr2qt=4&pr3nm=C&pr3pr=5&pr3qt=6",
    "t=event&ec=B&ea=B&pa=refund&ti=O4&tr=4&tt=1&ts=1", "t=unknown&x=1", "t=", "cd=1", "",
  ]
}
