"""The floor played forward by the same rulebooks: people, shoes, rounds, what goes wrong, and the files it leaves."""
