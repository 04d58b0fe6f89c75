"""classay assays classifiers: from predictions to a judgement, with an honest interval on every number."""

__version__ = "0.1.0"
