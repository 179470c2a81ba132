-- One row per gaming day and table: the shoes dealt from, with tens, missing and extra cards, and cut card positions.
-- key: gaming_day, table
SELECT
    gaming_day,
    "table",
    count(*) AS shoes,
    sum(cards_drawn)::BIGINT AS cards_drawn,
    count(*) FILTER (tens > 0) AS shoes_with_tens,
    sum(tens)::BIGINT AS tens,
    coalesce(sum(missing), 0)::BIGINT AS cards_missing,
    sum(extra)::BIGINT AS cards_extra,
    count(*) FILTER (cut_card_n IS NULL) AS shoes_without_cut_card,
    min(cut_card_n) AS earliest_cut_card,
    max(cut_card_n) AS latest_cut_card
FROM shoes
GROUP BY gaming_day, "table"
