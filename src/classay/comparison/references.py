"""Where the tests come from, beside the intervals."""

from classay.inference.references import REFERENCES as OF_INTERVALS

REFERENCES = OF_INTERVALS | {
    "agresti2000": "Agresti & Caffo 2000, The American Statistician 54:280",
    "alpaydin1999": "Alpaydin 1999, Neural Computation 11:1885",
    "benavoli2017": "Benavoli, Corani, Demšar & Zaffalon 2017, JMLR 18(77)",
    "benavoli2016": "Benavoli, Corani & Mangili 2016, JMLR 17(5)",
    "bonett2012": "Bonett & Price 2012, J Educational and Behavioral Statistics 37:479",
    "bouckaert2004": "Bouckaert & Frank 2004, PAKDD, LNCS 3056:3",
    "cochran1950": "Cochran 1950, Biometrika 37:256",
    "connor1987": "Connor 1987, Biometrics 43:207",
    "corani2015": "Corani & Benavoli 2015, Machine Learning 100:285",
    "corani2017": "Corani, Benavoli, Demšar, Mangili & Zaffalon 2017, Machine Learning 106:1817",
    "demsar2006": "Demšar 2006, JMLR 7:1",
    "dietterich1998": "Dietterich 1998, Neural Computation 10:1895",
    "dixon1946": "Dixon & Mood 1946, JASA 41:557",
    "efron1993": "Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 and 16",
    "fagerland2013": "Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91",
    "hotelling1931": "Hotelling 1931, Annals of Mathematical Statistics 2:360",
    "iman1980": "Iman & Davenport 1980, Communications in Statistics A9:571",
    "kott2001": "Kott 2001, Journal of Official Statistics 17:521",
    "miettinen1985": "Miettinen & Nurminen 1985, Statistics in Medicine 4:213",
    "nemenyi1963": "Nemenyi 1963, Distribution-free multiple comparisons, Princeton University",
    "noether1987": "Noether 1987, JASA 82:645",
    "obuchowski1998": "Obuchowski 1998, Statistics in Medicine 17:1495",
    "ojala2010": "Ojala & Garriga 2010, JMLR 11:1833",
    "pitman1937": "Pitman 1937, Supplement to JRSS 4:119",
    "robbins1970": "Robbins 1970, Annals of Mathematical Statistics 41:1397",
    "robin2011": "Robin et al. 2011, BMC Bioinformatics 12:77",
    "schuirmann1987": "Schuirmann 1987, J Pharmacokinetics and Biopharmaceutics 15:657",
    "shao1995": "Shao & Tu 1995, The Jackknife and Bootstrap, chapter 2",
    "skillings1981": "Skillings & Mack 1981, Technometrics 23:171",
    "sun2014": "Sun & Xu 2014, IEEE Signal Processing Letters 21:1389",
    "tsamardinos2018": "Tsamardinos, Greasidou & Borboudakis 2018, Machine Learning 107:1895",
    "tango1998": "Tango 1998, Statistics in Medicine 17:891",
    "waudbysmith2024": "Waudby-Smith & Ramdas 2024, JRSS B 86:1",
    "white2000": "White 2000, Econometrica 68:1097",
    "welch1947": "Welch 1947, Biometrika 34:28",
    "wilcoxon1945": "Wilcoxon 1945, Biometrics Bulletin 1:80",
}


def cite(*keys: str) -> str:
    """The references of these keys, in one text.

    >>> cite("cochran1950")
    'Cochran 1950, Biometrika 37:256'
    """
    return "; ".join(REFERENCES[key] for key in keys)
