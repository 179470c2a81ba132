-- One row per gaming day and table: the lines of its landing files and the clock offsets from the terminal.
-- The row without a name of a table is the floor.toml of the day.
-- key: gaming_day, table
WITH brought AS (
    SELECT
        gaming_day,
        "table",
        string_agg(DISTINCT source, ' ' ORDER BY source) AS sources,
        count(*) AS files,
        sum(bytes)::BIGINT AS bytes,
        coalesce(sum(lines), 0)::BIGINT AS lines,
        coalesce(sum(accepted), 0)::BIGINT AS lines_accepted,
        coalesce(sum(repeated), 0)::BIGINT AS lines_repeated,
        coalesce(sum(quarantined), 0)::BIGINT AS lines_quarantined
    FROM files
    GROUP BY gaming_day, "table"
),
clocked AS (
    SELECT
        gaming_day,
        "table",
        count(DISTINCT (source, device)) AS clocks,
        count(DISTINCT (source, device)) FILTER (NOT sure) AS clocks_unsure,
        arg_max(offset_ms, abs(offset_ms)) FILTER (source = 'shoe') AS shoe_offset_ms,
        max(uncertainty_ms) FILTER (source = 'shoe') AS shoe_uncertainty_ms,
        arg_max(offset_ms, abs(offset_ms)) FILTER (source = 'camera') AS camera_offset_ms,
        max(uncertainty_ms) FILTER (source = 'camera') AS camera_uncertainty_ms
    FROM clocks
    GROUP BY gaming_day, "table"
)
SELECT
    * EXCLUDE (clocks, clocks_unsure, shoe_offset_ms, shoe_uncertainty_ms, camera_offset_ms, camera_uncertainty_ms),
    coalesce(clocks, 0) AS clocks,
    coalesce(clocks_unsure, 0) AS clocks_unsure,
    shoe_offset_ms,
    shoe_uncertainty_ms,
    camera_offset_ms,
    camera_uncertainty_ms
FROM brought
LEFT JOIN clocked USING (gaming_day, "table")
