def sort_labels(labels):
    try: return tuple(sorted(labels))
    except TypeError: return tuple(sorted(labels, key=lambda l: (type(l).__name__, repr(l))))
def match_label(label, labels):
    for l in labels:
        if l==label: return l
    raise KeyError(label)
