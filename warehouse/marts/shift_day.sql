-- One row per gaming day, shift and currency. A shift's hours are those of its tables together: at each, from the
-- shift's first start of a round to its last end. Findings that belong to no round stand in a row without a shift.
-- key: gaming_day, shift, currency
WITH at_tables AS (
    SELECT
        gaming_day,
        shift,
        currency,
        (count(rounds) > 0)::INTEGER AS tables,
        epoch_ms(max(ended)) - epoch_ms(min(started)) AS dealt_ms,
        coalesce(sum(COLUMNS(
            * EXCLUDE (
                sort, gaming_day, "table", dealer, shift, rulebook, currency, started, ended,
                files, lines, lines_quarantined
            )
        )), 0)
    FROM figures
    WHERE sort <> 'file'
    GROUP BY gaming_day, "table", shift, currency
),
added AS (
    SELECT
        gaming_day,
        shift,
        currency,
        sum(COLUMNS(* EXCLUDE (gaming_day, shift, currency)))::BIGINT
    FROM at_tables
    GROUP BY gaming_day, shift, currency
)
SELECT
    * EXCLUDE (dealt_ms),
    rounds_verified / nullif(rounds, 0) AS verified_share,
    win_cents / nullif(handle_cents, 0) AS hold,
    dealt_ms / 3600000 AS hours_dealt,
    rounds * 3600000 / nullif(dealt_ms, 0) AS rounds_per_hour
FROM added
