"""Arrays of shape (n, 1) and frames of one column are a column, arrays of no dimension a value, at every door."""

from typing import Any

import numpy as np

import classay as ca

N = 60
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
P = np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1).round(3)


def scalars(values: Any) -> list[Any]:
    return [np.array(value) for value in values]


def test_arrays_of_no_dimension_are_labels_and_the_positive_one() -> None:
    found = ca.assess(scalars(Y), P, labels=scalars([0, 1]), positive=np.array(1))
    assert found.labels == (0, 1)
    assert found.positive == 1


def test_a_masked_value_of_no_dimension_is_missing() -> None:
    truth = [*scalars(Y[:-1]), np.ma.masked]
    assert ca.assess(truth, P, missing="drop").n == N - 1


class Tensor:
    """What a tensor of another library is: an array only after `detach`, of short floats that NumPy lacks."""

    def __init__(self, values: Any, *, is_short: bool = False, has_grad: bool = True) -> None:
        self._values, self._is_short, self._has_grad = np.asarray(values), is_short, has_grad

    @property
    def shape(self) -> Any:
        return self._values.shape

    @property
    def dtype(self) -> str:
        return "torch.bfloat16" if self._is_short else f"torch.{self._values.dtype}"

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Any:
        return (Tensor(each, is_short=self._is_short, has_grad=self._has_grad) for each in self._values)

    def __getitem__(self, at: Any) -> "Tensor":
        return Tensor(self._values[at], is_short=self._is_short, has_grad=self._has_grad)

    def item(self) -> Any:
        return self._values.item()

    def detach(self) -> "Tensor":
        return Tensor(self._values, is_short=self._is_short, has_grad=False)

    def float(self) -> "Tensor":
        return Tensor(self._values.astype(np.float32), has_grad=self._has_grad)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self._has_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self._is_short:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._values if dtype is None else self._values.astype(dtype)


def test_tensors_hold_tags() -> None:
    truth, scores = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0.9, 0.1], [0.2, 0.7], [0.6, 0.4]])
    assert ca.assess(Tensor(truth), Tensor(scores)).to_dict() == ca.assess(truth, scores).to_dict()
