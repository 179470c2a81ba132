"""Camera set-up: calibration and zones over a still, adjusted by hand, kept as a draft."""
