"""Where the tests come from."""

REFERENCES = {
    "agresti2000": "Agresti & Caffo 2000, The American Statistician 54:280",
    "binder1983": "Binder 1983, International Statistical Review 51:279",
    "bonett2012": "Bonett & Price 2012, J Educational and Behavioral Statistics 37:479",
    "cochran1950": "Cochran 1950, Biometrika 37:256",
    "connor1987": "Connor 1987, Biometrics 43:207",
    "delong1988": "DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837",
    "efron1993": "Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 and 16",
    "fagerland2013": "Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91",
    "gelman2013": "Gelman et al. 2013, Bayesian Data Analysis, 3rd ed., section 3.4",
    "holm1979": "Holm 1979, Scandinavian Journal of Statistics 6:65",
    "mcnemar1947": "McNemar 1947, Psychometrika 12:153",
    "kott2001": "Kott 2001, Journal of Official Statistics 17:521",
    "miettinen1985": "Miettinen & Nurminen 1985, Statistics in Medicine 4:213",
    "newcombe1998a": "Newcombe 1998, Statistics in Medicine 17:873",
    "newcombe1998b": "Newcombe 1998, Statistics in Medicine 17:2635",
    "obuchowski1997": "Obuchowski 1997, Biometrics 53:567",
    "obuchowski1998": "Obuchowski 1998, Statistics in Medicine 17:1495",
    "pitman1937": "Pitman 1937, Supplement to JRSS 4:119",
    "rao1992": "Rao & Scott 1992, Biometrics 48:577",
    "robbins1970": "Robbins 1970, Annals of Mathematical Statistics 41:1397",
    "robin2011": "Robin et al. 2011, BMC Bioinformatics 12:77",
    "student1908": "Student 1908, Biometrika 6:1",
    "satterthwaite1946": "Satterthwaite 1946, Biometrics Bulletin 2:110",
    "shao1995": "Shao & Tu 1995, The Jackknife and Bootstrap, chapter 2",
    "sun2014": "Sun & Xu 2014, IEEE Signal Processing Letters 21:1389",
    "tango1998": "Tango 1998, Statistics in Medicine 17:891",
    "agresti2013": "Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1",
    "welch1947": "Welch 1947, Biometrika 34:28",
    "waudbysmith2024": "Waudby-Smith & Ramdas 2024, JRSS B 86:1",
}


def cite(*keys: str) -> str:
    """The references of these keys, in one text.

    >>> cite("cochran1950")
    'Cochran 1950, Biometrika 37:256'
    """
    return "; ".join(REFERENCES[key] for key in keys)
