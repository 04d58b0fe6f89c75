"""Speed and memory against peers: `python -m bench`. Every figure is a ratio measured in one run on one machine."""
