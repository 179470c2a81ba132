-- One row per gaming day, table and currency: rounds dealt, share verified, variance and findings.
-- A table that left files but no rounds has a row too.
-- key: gaming_day, table, currency
SELECT
    * EXCLUDE (dealt_ms),
    rounds_verified / nullif(rounds, 0) AS verified_share,
    win_cents / nullif(handle_cents, 0) AS hold,
    dealt_ms / 3600000 AS hours_dealt,
    rounds * 3600000 / nullif(dealt_ms, 0) AS rounds_per_hour
FROM tables
