-- One row per gaming day, rulebook and currency. Hours are those of the rulebook's tables together.
-- Findings of a table that dealt no round stand in a row without a rulebook.
-- key: gaming_day, rulebook, currency
WITH added AS (
    SELECT
        gaming_day,
        rulebook,
        currency,
        count(*) AS tables,
        sum(COLUMNS(
            * EXCLUDE (gaming_day, "table", currency, rulebook, files, lines, lines_quarantined)
        ))::BIGINT
    FROM tables
    WHERE rounds > 0 OR findings > 0
    GROUP BY gaming_day, rulebook, currency
)
SELECT
    * EXCLUDE (dealt_ms),
    rounds_verified / nullif(rounds, 0) AS verified_share,
    win_cents / nullif(handle_cents, 0) AS hold,
    dealt_ms / 3600000 AS hours_dealt,
    rounds * 3600000 / nullif(dealt_ms, 0) AS rounds_per_hour
FROM added
