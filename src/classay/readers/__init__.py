"""A wing: several readers of the same cases, in one modality or more, and models beside a reader."""
