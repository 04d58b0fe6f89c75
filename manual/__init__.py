"""The pages of the site that a command makes: reference, gallery, notebooks. `python -m manual` writes them."""
