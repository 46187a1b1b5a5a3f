/// Signatures in the form of JSON web signatures: those of the standards, good ones, and ones that a careless verifier
/// accepts.
enum SampleSignatures {
  /// The payload of the examples in RFC 7515, appendix A.
  static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  /// RFC 7515, appendix A.2.
  static let standardRSA = (
    modulus: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4Ql"
      + "L-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs"
      + "LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoud"
      + "F8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    signature: "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujG"
      + "bds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K"
      + "0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6"
      + "LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
  )

  /// RFC 7515, appendix A.3.
  static let standardP256 = (
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    signature: "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
  )

  /// RFC 8037, appendix A.4.
  static let standardEd25519 = (
    key: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    text: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
    signature: "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
  )

  /// The text that all others sign.
  static let text = "header.claims"

  static let p384 = (
    x: "KIwbkK0WXp8V2-wJdeL3MEIiTLrgDV5qbt632J6OGdHwDBsYWuBzVqi2yzLv1SNh",
    y: "MmBXOFoEYJZkmO1dDC681FPx9JfoR5tRwAHqt-fMZSaDaKxQ3kwH1i0d2UOf-C_z",
    signature: "ApqzqCO0e2poeW4HdniDmBBpC_HpzdgLwzfTo48KDBfOppafTSPOKuYPTcJYkS7a8e3eWUj9ptjoufJeoYNP8vRtgCxehniy"
      + "SZpNnoMLypw2HRiSHTqJFh64U32advbr"
  )

  static let p521 = (
    x: "ABxpNisvW8RgM1laMUmta6vQ_adyBquMx8W8EIHzPpl2_NMLHXovuSVy6HeYRVK2VyN0cKN22aAo9SYpKhjl_mrN",
    y: "APvF_rdHASIiBqemhwaG-PuOJxMnNVthzVI-Vy4Vvei3Wv_6VeBSw4gCDmCjYV0q2dRHTFP_uuf2YjgZKjh9hDFV",
    signature: "AKVtWi32N8V9rsmcaGUHs_gVjrlMnszCuBxwHmJxSzcZhhLvhczGRMUpJrNF2VwMgU47IOic1g9UFY7T4aBodjPoANQA20wh"
      + "1VfqIE3LmloiCYlvytNJpmVd7qZSW6FsWFCWLIm_KCUQruw8KjgEQVnXp0JKRP38B3dqem8xsJ1Y2WSx"
  )

  /// The modulus of an RSA key whose exponent is 65,537.
  static let modulus =
    "hExST7FTLxVFIqQLT6JfW1eqgXQJ146CVZ3Ls3sS6TAwIqShl_XA52AN0XyAHsO7LpM7HgdCsdB2Htm47te5LZ9Wk8wvdKkT"
    + "e8p4FOE_1iBPDb-0Wy0g57EtV1woHAG5aa0om88ux_X3e8xARGhIOBR5_OjJ5gjSmCHiNFJ6okjmne6PIjxrowTS1EptC9TI"
    + "vQ4eIV09BVvkoUzpb8r9veeSuPlTuBM_wa2-SL2J0nZFjDKo4431TvC3JDLnKnRsIe-2gOXkCixmmuuTvPR7dA2v5a4JCFaO"
    + "I1LhJ9ViCJijjlOt-PbYZhVFG-L7GM55e22FVl3v7qK3EzkVX6L18w"
  static let goodPKCS1 =
    "AYqL7dRQqqL5HE_G2iHTPVATBtho7T6NngsiSPIncLTOwfcXahefRAzKCJDkKrNG3-TWkDzTzyUe3nInDdjQGCCC_FoaZwq-"
    + "tqtm-W5zgK23x26YiCQaa6Dk6Cmz8jn1wdN5nV842rvGo7tzmE7TMLYdPvtV1Uqmds53O6Lh7jD8sVM-buH0oI5l9zOZp8eQ"
    + "MvcC5DELVWBERwWJlPf2AFFOuZhZdASnytOCHox_-zF-OmzgLFadkdpB0ZB6KLzwnw5HrPQIO4AG1GthL46RzinSKWaFALiS"
    + "r7ihSoBZ_ac-9Js0PzUed_oQ6Y8zu9CjE1g8XGEZQRUeLsY4l71JjQ"
  static let goodPSS =
    "ZGhbHi9D_pu1EAK0wV2UUttC3fc1U_j-Iofijxbt_MJbMmd-z3S3Dse8RhrO7uHpubVvqSC0LF1hd6VX7JTiBnfyxUEcyw4A"
    + "ISoinn7Cl-9R5OM1lwipGyNxafJpooBk87yshdBvZsN6rjmqmitPA0seO7jJgD1W16keka7aSxo3KedV4e_5wu2EpIV0OmCj"
    + "1YK3WzzhSB7xVK42f1xYU0ci6NCC_VphBA1vE8wSH5z95YmsKauthQ_zuA8TbU9MdWcEePk-ItGnSBIIo3xXjyZJDFeoXden"
    + "aSDANlwi3TDJNiSYHubHUI-fTYk-Fi1Sg-kc7NDsgSRsgEGXtJ4JAQ"

  /// Signatures of the same key that are wrong, made with its private part, and why.
  static let badPKCS1: [(why: String, signature: String)] = [
    (
      "the parameters of the hash are missing",
      "DGLfSdrQFqxOIL74scFc3Rggz5Vdn7YjrcM7Fjf2RiiF-_vOZIl172lFKCT2syb1hVpfEqyaUEhHVX4W8keRdiqCee-sKzFt"
        + "qR_rAryGv_KvSHlBlAFvbUXAfoC_eVEsNi7zt3MPgbhbTXdlbUJeeUSnyEVkgm6w0R06c7O71D1l99dEPmYLufl9Ec6LhqTa"
        + "caxRaDxPq36em8uzzaE_Zi9uM2fXoNOXJQPmx04hOLx_yYcbxsZTOORC4udMBKkZtMBahU2e8UaWIQWGJOSDDQfl_u9pEOgF"
        + "tV4dQyLT5ibzvWrQj6ww8CLMGa-Kpse6DkMQNhONswXg9o3CCTN7Lg"
    ),
    (
      "the hash is that of SHA-512, shortened",
      "eEd5GS44P8nOOPqar4tsoa1rLV59iqE3dTdnw8xX6fiWod7IA91NXdCr5BmV9iDZeVB1SN20tYJ0T8EEjNC20IiuE6aS3gMn"
        + "xbNIiyawER0IFI9-rY2qTe3A5iwxBk0RFxCI9yKc7aN1c8n_X_E4neBvUSP67lJvJ1BmbxnOTHPfDrrRZ8JWavADT2ooW2aK"
        + "2AIRfuvS0_FZ4Wk3Mpqq_UYyNhWLMVWjhUbAMM4I1CFhp0i56J3F7SQjodNE9TTRtft1x-UHzpS1ZQqFn-_HTQHvdTMSZ9a2"
        + "0HrK55VFq784xjvpA_uvuHssq25ZSZM3cQIxJH3K-cvDB3-dc8c84A"
    ),
    (
      "another hash function is named",
      "RE25vxiu7kUWzx28QGwANI4QcM9AUb3jWPT1E56rOQ_Z6pvsiPlcGRw8s17bVHkfp6t-cZp51nfDiIqdteFCwQoVaOoWKGr3"
        + "zEZdG22K8fteQS1OQ0VCASRoiGYyZmIZolifW3XynwUnBsPEVi7Ria3z5i_hcgB1Bvxjj6apHzBgJIEUmPRXvYDHamIug1j3"
        + "04-azKBjPSuSqDWwRJo9DMAvwEDIMYnFRvw_q27th5Zg7mYRueD7zYzR8TtuFMekWoPX3pj_pRN9gSmEfGw8rFinN8iiz88V"
        + "p9HQLB_lykwXQ5ApXQRgO_3uIoMKwMFugNIAb9_ziXlS95XjXQ5Bvg"
    ),
    (
      "a length is written in two bytes",
      "YfUOyxBzAq9nuNOlMKYHrYt-OD4TcUbFGSZHaM-GZgbvBiCNpExxsa3Ddt2phJcihtA5gOuibyf1bkZcpALcFBYpOFiHa2kt"
        + "m1c3CFNtNO9eckW2UDNPBTJTAUc5y4ps2NJJJ63OgmYJpCzCTnNpDSjPSVs4OosWJws2jD4ZiHn647dmKrdUxaLmKmt3ILMe"
        + "TUv0YTmNerGcCjzOVmEuyJlUC3mqoVWOUQ1SibB7VUD5k0MZVsu463xBXiO-qcCOASgmhizXgOmCoL2BCqTmDIZBh77cEV7t"
        + "9GUhN2DZ33e1wMf40Z0NLXVKv0yTBUqEXHDW9yug9TwAkMvu8bw6lg"
    ),
    (
      "bytes follow the hash",
      "QHN9h0nNfqG3KTv7xpqSIz6Msctp9eHvbMDK5ak8ZVVYEyfmKDu-_3HJht5hpSRUHyOpPFE2YeHPd0woFc4g8ttKEfmfYSUY"
        + "ukq7c0o7e8Ul4F-3GQ2sw8PlhxfpRr_Lh9UO4wDQ9s6T_LMujyw6wmJi5jIGy57KeovZxnIbjMjT-puoHAVS3ooF5DbCYyG-"
        + "S4SieKXCOz0Jvwc03X6RL_e3QrfbLdoQpPqu8bKfmKZPDCWNSZwApz82ZC7kPt7ByKMkpo3kcnxBVvGfAU1qwZC8cs5TSTYk"
        + "8K-ts8IN93oAL0Yq2EVA00PLwc_ZpEgRDBRtxBoQ3rQm0aCfTErMjg"
    ),
    (
      "the padding is short, and bytes follow",
      "AFTUIX1c5feipX9H4ucJQAIf9P3cHkXBfJCpkN_QSJpbsKnbzRy-zVoZ0PXndL6s4huPwoE0R5Q6f6tdHlxcBs8MsCLm6fyX"
        + "VLCqnzHHrMp965TOI5nV2wWNptPoEMsmQNphbVG7xurRAeJhuC9Ic6i8piF2XHXf7qfZGqeiJ2mO8eVYiC1ATmL21-oQDM1m"
        + "zkYoa2FjH0F_SB-Gs7PzUvTWZ1fOSxlwX24FSc-5t1OKqClNUixSGsYwJkT5S2cWd47rpYq752w7jNA40QpzGpZVt9SWsQqW"
        + "atDuPoBctD3fS9_rN-aVEaxFX4kwTC6b445Vyen6vB_QCMuv_Ghpdg"
    ),
    (
      "the padding has another byte",
      "cMqAgYHV2eTbv-HGVYSALptTG5o8wNmX4XGOcHXaXZoiAW74h5DnY5dNb_nuIJuheGKd0_VINkyy8tMfNlLAiVa8NdKKQo30"
        + "qXEhDJQPCqTh3peElsTVWO55B_bfByLG4aa-ZD4Bbk2b-iWjqoUy4DtU1Qz4WG1Z2JJoFxN59hDO9jbhdwffSio1SiCIc-4T"
        + "7q3Z7rwyqrm1wQi5ZZjdiiMXJCWs1a7FoGBbd5XV0CcqDjUXzeOhboGPLTsT1FiCtXPzW-IcNE68d9oTzq07dEIplq5nUSlb"
        + "Udb62KiMoCyM-WQiPC9ePIHTzSt7DsgX8c66ZKh4DgLRMMHuOsD0Ig"
    ),
    (
      "the padding is of encryption",
      "g4SR_RKch2gdsJ3TnKIAvHSpVl1TXf7NTTmespu3WjZWVyh9KhJ1RwcdYbbK2aXW8uyaDVE6-CfMnxug9LGUQX6q7S0NesXa"
        + "3ugZXa097wOwwQeC9ufMGbhq1F1qp38fRMj8thxQloz_lOIkWnQ8GKdlXBgQNHuBNUto9ZRvT2f-1k2WqJkvm0e4k1BnHqY6"
        + "zBWfWzdcOi3RpP1R41NLiz_9la0jMk7LKlUyQ_86VvTxgLft_Duw67vjmrMX3s3CwSA15i3edNCNp8vV8Dn49meCBW6j88qa"
        + "4y_VtUwN6LufErYw2yeaVw6Zw_1qKms3JtuPev_GFY4g0s0VTJo0UA"
    ),
    (
      "the signature is 1",
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQ"
    ),
    (
      "the signature is 0",
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    ),
    (
      "the modulus is added",
      "AIXW3j2Fo9m4Pj7z0inEMpinvYhMcsTND_Oo7fxtOlnk_uSbuQINYCts19oNZEl3Ag54Ea5EFoD1lP1L3_ywiUW_2ZAmSduz"
        + "0jJ13w5Ps1bOBtUuTONRO1NSEj-F3A47ryuAojkuZ6Kxvh-Hs9y3G2jKlzvkH7tTeQ7wWW_1XJB5409BzZEeYEOTOMt-BrOc"
        + "WPAFIQWOSFq8KOhScwTC87444XKRrSwX54yBQGdKCc2nw8afiQ_kkuDK-PXDYVMxXMD9_i3Z7EWsbW9W9OyDDUI3gg8UjgkP"
        + "INMLgnJVvAY_4oLu4jgr9t4PVgVyLtSfHI7FwbK_CS-31UH_TfdgP4A"
    ),
    (
      "a zero stands before the signature",
      "AAGKi-3UUKqi-RxPxtoh0z1QEwbYaO0-jZ4LIkjyJ3C0zsH3F2oXn0QMygiQ5CqzRt_k1pA8088lHt5yJw3Y0BgggvxaGmcK"
        + "vrarZvluc4Ctt8dumIgkGmug5Ogps_I59cHTeZ1fONq7xqO7c5hO0zC2HT77VdVKpnbOdzui4e4w_LFTPm7h9KCOZfczmafH"
        + "kDL3AuQxC1VgREcFiZT39gBRTrmYWXQEp8rTgh6Mf_sxfjps4CxWnZHaQdGQeii88J8OR6z0CDuABtRrYS-Okc4p0ilmhQC4"
        + "kq-4oUqAWf2nPvSbND81Hnf6EOmPM7vQoxNYPFxhGUEVHi7GOJe9SY0"
    ),
    (
      "a byte is missing",
      "AYqL7dRQqqL5HE_G2iHTPVATBtho7T6NngsiSPIncLTOwfcXahefRAzKCJDkKrNG3-TWkDzTzyUe3nInDdjQGCCC_FoaZwq-"
        + "tqtm-W5zgK23x26YiCQaa6Dk6Cmz8jn1wdN5nV842rvGo7tzmE7TMLYdPvtV1Uqmds53O6Lh7jD8sVM-buH0oI5l9zOZp8eQ"
        + "MvcC5DELVWBERwWJlPf2AFFOuZhZdASnytOCHox_-zF-OmzgLFadkdpB0ZB6KLzwnw5HrPQIO4AG1GthL46RzinSKWaFALiS"
        + "r7ihSoBZ_ac-9Js0PzUed_oQ6Y8zu9CjE1g8XGEZQRUeLsY4l71J"
    ),
  ]

  /// Signatures of the same key whose padding is PSS with other parameters than RFC 7518 §3.5 has.
  static let badPSS: [(why: String, signature: String)] = [
    (
      "the salt is empty",
      "fvJw22rsSZCoMDM1C83Lxbq-6Aqe305xc-bWLviESyvLvxhJfRxy9LyXQ7DQHPk-QjimO_vmwZTjCYipQ6T0uKiOIWXa0OwI"
        + "W9ZFOM03iVO3xtYtXd1uL2JXBEQcIUyrS4O0h-i75vVySrqJ-Sql-aP1NWcNPMWKtlRgc-522MSy6lRSWiL_0y5mxQQK-OcG"
        + "Ynxi4hCdeICdGfO1y_97PM4YwoegO0E8NL00_9uqkfXYq6xcpVsXxun6F6tOkz56K6kXC8IVXLQL_4_jv-iiN1vQ8da8XTk4"
        + "QjYWc6PseAGEvmRsXIidQHhFfzfYconcUiwxYAvS_YU9QGYdBdWlwA"
    ),
    (
      "the salt has 20 bytes",
      "gH4ig8HxNdUT-F4muYscAargpakfn8eKuCY_Uz7RF5vbMaZWr7QgXTV8fTRdzZd-VHT2GSobeIr25OEez0CQ6zvkO1Uc_qLS"
        + "h9hJnI-82TlJ2Rl_ZEX5ccrtnZps7OQ6PW7OOqnUBQTk0PFnhz_vBAJW_j-dt-ZWz7GSkf9dQG8Wr4Q7LWT4BScoGUnjwojm"
        + "mcwVk1BXvj4IiYBUPC4EM53Cq1wIfXAE0y4mqC_v0B9SB6cE_YvG29GEkyPQeyG7POHJ0MdjFNgZaLf50aDvzXDcp4fZ2eRL"
        + "BiaVBeN1mIEXM_bqOmYjk_0L484MXIH48UgKh4vxfkxcyMYJz4Co_w"
    ),
    (
      "the salt is as long as possible",
      "Ct2A512k4eCCgWUHfLa__PzsHs5Qpai7-9-ZnxYj5Hf_1if3tWR9xVxt840kr50jnmS7YnDXTRrM_0oFifiPM1ZcfuB6Q884"
        + "Q-x61sWhJTjFdb9oKh20NJeUTuwLcQvjfmyu8TZ9hL1skmayOjoYG_ec2xLCu2k7IozCSwKj3CQXGqdsqCS57xEC8OUs4UsG"
        + "S5pAI3EXp8Up_P0QwojyLKVoksXRjXNCm-C6fh8pW9wwVNjyjzxyI_LWzZJw56uRU0xg9UUO4qTc6rh1BzhvLKwDUNx_5cvs"
        + "6JIdkjVM0FqipTk3TXSDKhFkx548Vfv2tHLeh5jnq8_jJVzpO7yT8w"
    ),
    (
      "the mask is made with SHA-1",
      "bcBKxS5plfpZAgFVrDyiXk7uWEfoGSIzwdv5m8micr7HtrYu3xrBdMyJpGaXGYuA5V7md1LhVN9v_wlRCiNI3T2arN4UjlEX"
        + "MOvISiMdNR7vh7uf5CuVI0xKjRGUsMMtw5VucCgolYUzL96utDwSJLekTQs_ojcVpHahz8iv00FZRISk5cBlw_bMSY4lj_yJ"
        + "FlxqPeN42zVPdjNce_T7i8Wiss6eACnS5sRfonvIaJcM3zPXluQMq1Eq0P9W5XAGMUmP6zl8e59cG-Fa1tEmDuCpHZs5ehh7"
        + "7CEiXmo0ZkLI1AziftZnO_NF6TQ9iOLtZeXpugCGRsOwiWjo9Eb9Sg"
    ),
  ]

  /// A PSS signature that begins with a zero, and the modulus of its key.
  static let zeroPSS = (
    modulus: "-Xpa7O7uMM_IEWgaDKeZJWP9xyOei-cZ2c8x_rAGl-IwQrcNHpp_FQq46iRMLx8rMplc3wCDVp00f84HaDrojcAzKLx7nwC1"
      + "nH8JdDaXXPrewv2SfO6dUhhpCHFEr0CbJ5ChV3JGBIxc3cVLK4BCC_rsRx6yAVAVnwlrK3jOnJ1UfgjDQ0boUfv2VySodF5A"
      + "w55F1zWQrpiMAlHEhQA52yLXIxehTbAodiP36mCZCegOdH49YBePtSg1kUpyat3UgKFcz1NUubNZpS0nO1wkN6ef28BpNo-L"
      + "cr6swCPFdkEex3-4dDWEilzAHNlL592uYA_6_nEXoYxR8YVFAzaDXQ",
    signature: "AFBls5MiXS12iA7J_9DTnaYhuKZ1uQj8ZH23s7M40ttytI5GXyTrQNNDKpCot5zIiCCwMam0Aor-j9tf_-1YlVDuxUZzkFDf"
      + "U9u7BBB8afDOqC1nyPE75Vqdu3CdAL_MVKoSsSaolrKYab9kpU3BVDDzl4yJIoKtnNxPShc7_UNWpRNliztxn1nn-1hJWpjp"
      + "XPivkaHjCrF-vt9dY5PWj8jSYwNqAuxlxrzLjfH6ly52inh5gtUjzZ29QG5R7Pd-BEcD0xcdWB0S4yNTxLSrVDiUXDdlB-XN"
      + "5p3N1UKoLx10JoaRVNCCv5rq_eRTH_xahB7Z7L8C59Nb9ENOHxvNxQ"
  )
}
