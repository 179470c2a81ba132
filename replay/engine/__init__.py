"""The engine: one state machine that judges a round for every caller.

``judge`` reads a round's rows from the tape in order (scan), places the cards (deal, play, dealer), works out what
every wager pays and takes (settle, progressive), compares with what was logged (compare) and reports what was irregular
on the way. ``shoes`` does the same for what happens between the rounds.
All of it is compiled, works on flat columns and writes flat columns.
"""
