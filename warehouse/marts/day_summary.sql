-- One row per gaming day and currency: the whole floor. Hours are those of its tables together.
-- Tables that left files, but neither rounds nor findings, stand in a row without a currency.
-- key: gaming_day, currency
WITH added AS (
    SELECT
        gaming_day,
        currency,
        count(*) AS tables,
        sum(COLUMNS(* EXCLUDE (gaming_day, "table", currency, rulebook)))::BIGINT
    FROM tables
    GROUP BY gaming_day, currency
)
SELECT
    * EXCLUDE (dealt_ms),
    rounds_verified / nullif(rounds, 0) AS verified_share,
    win_cents / nullif(handle_cents, 0) AS hold,
    dealt_ms / 3600000 AS hours_dealt,
    rounds * 3600000 / nullif(dealt_ms, 0) AS rounds_per_hour
FROM added
