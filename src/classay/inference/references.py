"""Where the intervals come from."""

import re
from collections.abc import Iterable

REFERENCES = {
    "agresti1998": "Agresti & Coull 1998, The American Statistician 52:119",
    "agresti2013": "Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1",
    "arrieta2022": "Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu 2022, JMLR 23(351)",
    "begg1983": "Begg & Greenes 1983, Biometrics 39:207",
    "benjamini1995": "Benjamini & Hochberg 1995, JRSS B 57:289",
    "benjamini2001": "Benjamini & Yekutieli 2001, Annals of Statistics 29:1165",
    "berry1995": "Berry & Armitage 1995, The Statistician 44:417",
    "binder1983": "Binder 1983, International Statistical Review 51:279",
    "blasiok2023": "Błasiok & Nakkiran 2023, arXiv:2309.12236",
    "brown2001": "Brown, Cai & DasGupta 2001, Statistical Science 16:101",
    "caelen2017": "Caelen 2017, Annals of Mathematics and Artificial Intelligence 81:429",
    "clopper1934": "Clopper & Pearson 1934, Biometrika 26:404",
    "cochran1977": "Cochran 1977, Sampling Techniques, 3rd ed., section 6.3",
    "cox1958": "Cox 1958, Biometrika 45:562",
    "delong1988": "DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837",
    "dunn1961": "Dunn 1961, JASA 56:52",
    "donner2012": "Donner & Zou 2012, Stat Methods Med Res 21:347",
    "efron1987": "Efron 1987, JASA 82:171",
    "feller1951": "Feller 1951, Annals of Mathematical Statistics 22:427",
    "friedman1937": "Friedman 1937, JASA 32:675",
    "gelman2013": "Gelman et al. 2013, Bayesian Data Analysis, 3rd ed., section 3.4",
    "hall1992": "Hall 1992, JRSS B 54:221",
    "hochberg1988": "Hochberg 1988, Biometrika 75:800",
    "hodges1963": "Hodges & Lehmann 1963, Annals of Mathematical Statistics 34:598",
    "holm1979": "Holm 1979, Scandinavian Journal of Statistics 6:65",
    "hommel1988": "Hommel 1988, Biometrika 75:383",
    "kim1990": "Kim & Pollard 1990, Annals of Statistics 18:191",
    "kish1965": "Kish 1965, Survey Sampling, section 8.2",
    "kumar2019": "Kumar, Liang & Ma 2019, NeurIPS, verified uncertainty calibration",
    "mcnemar1947": "McNemar 1947, Psychometrika 12:153",
    "mercaldo2007": "Mercaldo, Lau & Zhou 2007, Statistics in Medicine 26:2170",
    "meyer2000": "Meyer & Woodroofe 2000, Annals of Statistics 28:1083",
    "nabeya1951": "Nabeya 1951, Annals of the Institute of Statistical Mathematics 3:2",
    "nadeau2003": "Nadeau & Bengio 2003, Machine Learning 52:239",
    "newcombe1998": "Newcombe 1998, Statistics in Medicine 17:873",
    "newcombe1998b": "Newcombe 1998, Statistics in Medicine 17:2635",
    "newcombe2006": "Newcombe 2006, Statistics in Medicine 25:559",
    "obuchowski1997": "Obuchowski 1997, Biometrics 53:567",
    "owen1990": "Owen 1990, Annals of Statistics 18:90",
    "perks1947": "Perks 1947, J Institute of Actuaries 73:285",
    "rao1992": "Rao & Scott 1992, Biometrics 48:577",
    "romano2005": "Romano & Wolf 2005, Econometrica 73:1237",
    "satterthwaite1946": "Satterthwaite 1946, Biometrics Bulletin 2:110",
    "simel1991": "Simel, Samsa & Matchar 1991, J Clin Epidemiol 44:763",
    "smyth2004": "Smyth 2004, Stat Appl Genet Mol Biol 3:3",
    "student1908": "Student 1908, Biometrika 6:1",
    "takahashi2022": "Takahashi, Yamamoto, Kuchiba & Koyama 2022, Applied Intelligence 52:4961",
    "totsch2021": "Tötsch & Hoffmann 2021, PeerJ Computer Science 7:e398",
    "white1982": "White 1982, Econometrica 50:1",
    "wilson1927": "Wilson 1927, JASA 22:209",
    "woodruff1952": "Woodruff 1952, JASA 47:635",
    "zou2007": "Zou 2007, Psychological Methods 12:399",
    "zou2008": "Zou & Donner 2008, Statistics in Medicine 27:1693",
}
OF_PARTS = {
    "delong1988": ("DeLong", "Obuchowski", "logit"),
    "newcombe2006": ("Newcombe",),
    "obuchowski1997": ("Obuchowski",),
    "smyth2004": ("moderated",),
}
"""Sources of a part of a method: words of which the name of the method has one, where it used that part."""
OF_UNEQUAL_CASES = ("kish1965", "rao1992")
"""Sources of what weights and clusters need beside the method."""

OF_WORDS = (
    ("Begg-Greenes", ("begg1983",)),
    ("Benjamini–Hochberg", ("benjamini1995",)),
    ("Benjamini–Yekutieli", ("benjamini2001",)),
    ("Bonferroni", ("dunn1961",)),
    ("Clopper-Pearson", ("clopper1934",)),
    ("DeLong", ("delong1988",)),
    ("Friedman", ("friedman1937",)),
    ("(?<!–)Hochberg", ("hochberg1988",)),
    ("Hodges-Lehmann", ("hodges1963",)),
    ("Holm", ("holm1979",)),
    ("Hommel", ("hommel1988",)),
    ("MOVER", ("zou2008",)),
    ("MOVER.*correlation", ("zou2007",)),
    ("McNemar", ("mcnemar1947",)),
    ("Mercaldo", ("mercaldo2007",)),
    ("Newcombe(?!-5)", ("newcombe1998", "newcombe1998b")),
    ("Newcombe-5", ("newcombe2006",)),
    ("Obuchowski", ("obuchowski1997",)),
    ("Wilson", ("wilson1927",)),
    ("corrected resampled t", ("nadeau2003",)),
    ("max-t", ("romano2005",)),
    ("moderated", ("smyth2004",)),
)
"""What a method calls itself where it used what a source is about; of several sources it is one, mostly the first."""


def cite(*keys: str) -> str:
    """The references of these keys, in one text.

    >>> cite("wilson1927")
    'Wilson 1927, JASA 22:209'
    """
    return "; ".join(REFERENCES[key] for key in keys)


def used(keys: Iterable[str], method: str, *, are_alike: bool) -> list[str]:
    """Those of the sources of a method that are about what it did, by the name that it gave itself.

    `are_alike` says whether cases were independent and counted alike.

    >>> used(("delong1988", "newcombe2006", "obuchowski1997"), "moderated DeLong", are_alike=True)
    ['delong1988']
    """
    return [
        key
        for key in keys
        if not (are_alike and key in OF_UNEQUAL_CASES)
        and any(word in method for word in OF_PARTS.get(key, ("",)))
    ]


def reference_list(cited: Iterable[str], methods: Iterable[str]) -> str:
    """The paragraph of references that ends a text; empty without any.

    It holds what is cited, and the sources of all that the names of the methods speak of, each once.

    >>> reference_list([], ["MOVER of moderated DeLong"])
    'References: DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837; Zou & Donner 2008, Statistics in Medicine \
27:1693; Smyth 2004, Stat Appl Genet Mol Biol 3:3.'
    """
    found = dict.fromkeys(cited)
    names = "; ".join(methods)
    for word, keys in OF_WORDS:
        if re.search(rf"(?<!\w){word}(?!\w)", names) and not any(REFERENCES[key] in found for key in keys):
            found[REFERENCES[keys[0]]] = None
    return f"References: {'; '.join(found)}." if found else ""
