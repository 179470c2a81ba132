-- What the marts add up, in rows of three sorts ("sort"):
--   stint    a run of rounds at a table with the same dealer in the same shift, with the findings of its rounds
--   finding  the findings of a table that belong to no round
--   file     what a table's landing files brought
-- A table has one currency and one rulebook on a gaming day: those of its rounds, else the currency of its findings.
WITH known AS (
    SELECT
        gaming_day,
        "table",
        coalesce(min(of_rounds), min(of_findings)) AS currency,
        min(rulebook) AS rulebook
    FROM (
        SELECT gaming_day, "table", currency AS of_rounds, NULL AS of_findings, rulebook FROM rounds
        UNION ALL
        SELECT gaming_day, "table", NULL, nullif(currency, ''), NULL FROM findings
    )
    GROUP BY ALL
),
checked AS (
    SELECT
        gaming_day,
        round_id,
        count(*) AS wagers,
        count(*) FILTER (verdict <> 'undetermined') AS wagers_checked
    FROM settlements
    GROUP BY ALL
),
placed AS (
    -- A finding may name a round of which nothing else is left: then it counts as a finding of the table.
    SELECT f.gaming_day, f."table", r.round_id, CASE WHEN r.round_id IS NULL THEN f.dealer END AS dealer, f.severity
    FROM findings AS f
    LEFT JOIN rounds AS r ON r.gaming_day = f.gaming_day AND r.round_id = f.round_id
),
graded AS (
    SELECT
        gaming_day,
        "table",
        round_id,
        dealer,
        count(*) AS findings,
        count(*) FILTER (severity = 'high') AS findings_high,
        count(*) FILTER (severity = 'medium') AS findings_medium,
        count(*) FILTER (severity = 'low') AS findings_low
    FROM placed
    GROUP BY ALL
),
changes AS (
    SELECT
        *,
        lag(dealer) OVER dealt IS DISTINCT FROM dealer OR lag(shift) OVER dealt IS DISTINCT FROM shift AS is_change
    FROM rounds
    WINDOW dealt AS (PARTITION BY gaming_day, "table" ORDER BY started, round_id)
),
stints AS (
    SELECT
        *,
        count(*) FILTER (is_change) OVER (PARTITION BY gaming_day, "table" ORDER BY started, round_id) AS stint
    FROM changes
)
SELECT
    'stint' AS sort,
    r.gaming_day,
    r."table",
    r.dealer,
    r.shift,
    r.rulebook,
    r.currency,
    min(r.started) AS started,
    max(coalesce(r.ended, r.started)) AS ended,
    count(*) AS rounds,
    count(*) FILTER (r.complete) AS rounds_complete,
    count(*) FILTER (r.void) AS rounds_void,
    count(*) FILTER (r.verdict <> 'undetermined') AS rounds_verified,
    count(*) FILTER (r.verdict = 'wrong') AS rounds_wrong,
    count(*) FILTER (r.verdict = 'undetermined') AS rounds_undetermined,
    count(*) FILTER (r.evidence = 'terminal+shoe+camera') AS on_terminal_shoe_camera,
    count(*) FILTER (r.evidence = 'terminal+shoe') AS on_terminal_shoe,
    count(*) FILTER (r.evidence = 'terminal+camera') AS on_terminal_camera,
    count(*) FILTER (r.evidence = 'terminal') AS on_terminal_only,
    count(r.doubt) AS rounds_in_doubt,
    sum(c.wagers) AS wagers,
    sum(c.wagers_checked) AS wagers_checked,
    sum(r.over_cents) AS over_cents,
    sum(r.under_cents) AS under_cents,
    sum(r.over_cents + r.under_cents) AS variance_cents,
    sum(r.handle_cents) AS handle_cents,
    sum(r.taken_cents - r.paid_cents) AS win_cents,
    sum(g.findings) AS findings,
    sum(g.findings_high) AS findings_high,
    sum(g.findings_medium) AS findings_medium,
    sum(g.findings_low) AS findings_low
FROM stints AS r
LEFT JOIN checked AS c USING (gaming_day, round_id)
LEFT JOIN graded AS g ON g.gaming_day = r.gaming_day AND g.round_id = r.round_id
GROUP BY r.gaming_day, r."table", r.stint, r.dealer, r.shift, r.rulebook, r.currency
UNION ALL BY NAME
SELECT
    'finding' AS sort,
    g.gaming_day,
    g."table",
    g.dealer,
    k.rulebook,
    k.currency,
    g.findings,
    g.findings_high,
    g.findings_medium,
    g.findings_low
FROM graded AS g
JOIN known AS k USING (gaming_day, "table")
WHERE g.round_id IS NULL
UNION ALL BY NAME
SELECT
    'file' AS sort,
    f.gaming_day,
    f."table",
    k.rulebook,
    k.currency,
    count(*) AS files,
    coalesce(sum(f.lines), 0) AS lines,
    coalesce(sum(f.quarantined), 0) AS lines_quarantined
FROM files AS f
LEFT JOIN known AS k USING (gaming_day, "table")
WHERE f."table" <> ''
GROUP BY ALL
