"""The bootstrap: samples made ready, drawn, and turned into limits."""
