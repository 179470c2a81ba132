"""From landing files to the accepted lines of a table's day, as columns."""
