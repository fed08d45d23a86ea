"""Speed beside the peers, each figure from one run on one machine. Commands of their own, never part of the tests."""
