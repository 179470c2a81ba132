-- One row per gaming day, table, finding code, severity, handling and currency: number of findings and their variance.
-- key: gaming_day, table, code, severity, handling, currency
SELECT
    gaming_day,
    "table",
    code,
    severity,
    handling,
    currency,
    count(*) AS findings,
    coalesce(sum(variance_cents) FILTER (variance_cents > 0), 0)::BIGINT AS over_cents,
    coalesce(sum(variance_cents) FILTER (variance_cents < 0), 0)::BIGINT AS under_cents
FROM findings
GROUP BY gaming_day, "table", code, severity, handling, currency
