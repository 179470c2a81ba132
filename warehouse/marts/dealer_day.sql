-- One row per gaming day, dealer and currency. A dealer's hours are those of the stints: from the first round's start
-- to the last one's end, as long as no one else deals at that table.
-- Findings that are no dealer's stand in a row without one.
-- key: gaming_day, dealer, currency
WITH added AS (
    SELECT
        gaming_day,
        dealer,
        currency,
        count(DISTINCT "table") FILTER (rounds > 0) AS tables,
        sum(epoch_ms(ended) - epoch_ms(started))::BIGINT AS dealt_ms,
        coalesce(sum(COLUMNS(
            * EXCLUDE (
                sort, gaming_day, "table", dealer, shift, rulebook, currency, started, ended,
                files, lines, lines_quarantined
            )
        )), 0)::BIGINT
    FROM figures
    WHERE sort <> 'file'
    GROUP BY gaming_day, dealer, currency
)
SELECT
    * EXCLUDE (dealt_ms),
    rounds_verified / nullif(rounds, 0) AS verified_share,
    win_cents / nullif(handle_cents, 0) AS hold,
    dealt_ms / 3600000 AS hours_dealt,
    rounds * 3600000 / nullif(dealt_ms, 0) AS rounds_per_hour
FROM added
