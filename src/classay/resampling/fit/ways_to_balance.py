"""Ways to balance classes, as words: known before anything that fits is loaded."""

from typing import Literal

Balance = Literal["upsample", "downsample", "smote", "weights"]
DONE: dict[str, str] = {
    "upsample": "cases of the smaller classes are drawn again until all classes have as many",
    "downsample": "as many cases of each class are drawn as the smallest has",
    "smote": "cases are made between neighbours of the smaller classes until all have as many (Chawla et al. 2002)",
    "weights": "each class has the same weight in all",
}
"""What each method does to the training cases of a fold."""
