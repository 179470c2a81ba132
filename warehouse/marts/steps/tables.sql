-- The figures added up by table, with the time from its first round's start to its last one's end.
SELECT
    gaming_day,
    "table",
    currency,
    rulebook,
    epoch_ms(max(ended)) - epoch_ms(min(started)) AS dealt_ms,
    coalesce(sum(COLUMNS(
        * EXCLUDE (sort, gaming_day, "table", dealer, shift, rulebook, currency, started, ended)
    )), 0)::BIGINT
FROM figures
GROUP BY gaming_day, "table", currency, rulebook
