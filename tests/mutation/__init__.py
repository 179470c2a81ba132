"""Rules broken one at a time: each must be noticed by a worked round or a row of a paytable."""
