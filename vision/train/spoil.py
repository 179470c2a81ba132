"""Degradation of pictures as by cameras and lighting."""

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
_Rng = np.random.Generator


def spoiled(picture: Picture, rng: _Rng, detail_px: float) -> Picture:
    """The picture as a camera may give it; ``detail_px`` is how large the smallest thing is that must stay readable."""
    picture = _lit(picture, rng)
    picture = _coarse(picture, rng, detail_px)
    if rng.random() < 0.5:
        picture = _blurred(picture, rng, detail_px)
    if rng.random() < 0.7:
        noise = rng.normal(0, rng.uniform(1, 14), (*picture.shape[:2], 1 if rng.random() < 0.5 else 3))
        picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.12:
        stray = rng.random(picture.shape[:2])
        share = rng.uniform(0, 0.02)
        picture[stray < share / 2], picture[stray > 1 - share / 2] = 0, 255
    if rng.random() < 0.5:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 95))])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return picture


def _lit(picture: Picture, rng: _Rng) -> Picture:
    """Light of some colour and strength, from one side, with glare."""
    height, width = picture.shape[:2]
    found = picture.astype(np.float32)
    found *= rng.uniform(0.55, 1.15) * (1 + rng.normal(0, 0.09, 3)).astype(np.float32)
    angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.5)
    y, x = np.mgrid[-0.5 : 0.5 : height * 1j, -0.5 : 0.5 : width * 1j].astype(np.float32)
    found *= (1 + slope * (x * np.cos(angle) + y * np.sin(angle)))[..., None]
    if rng.random() < 0.12:
        at, size = rng.uniform(-0.5, 0.5, 2), rng.uniform(0.05, 0.3)
        found += (rng.uniform(20, 110) * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / size**2))[..., None]
    if rng.random() < 0.3:  # the edge of a shadow
        edge = x * np.cos(angle + 1) + y * np.sin(angle + 1) > rng.uniform(-0.3, 0.3)
        found *= np.where(edge, 1, rng.uniform(0.4, 0.85))[..., None].astype(np.float32)
    gamma = rng.uniform(0.75, 1.35)
    grey = rng.uniform(0, 0.35) if rng.random() < 0.3 else 0
    found = found * (1 - grey) + grey * found.mean(axis=2, keepdims=True)
    lifted = 255 * np.power(np.clip(found / 255, 0, 1), gamma) * rng.uniform(0.85, 1) + rng.uniform(0, 25)
    return np.asarray(np.clip(lifted, 0, 255), np.uint8)


def _coarse(picture: Picture, rng: _Rng, detail_px: float) -> Picture:
    """Reduce the detail, as if the picture was taken from further away and enlarged."""
    least = min(1.0, 11 / detail_px)
    factor = rng.uniform(least, 1.0) if rng.random() < 0.6 else 1.0
    if factor > 0.95:
        return picture
    height, width = picture.shape[:2]
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    how = (cv2.INTER_LINEAR, cv2.INTER_CUBIC)[int(rng.integers(2))]
    return cv2.resize(small, (width, height), interpolation=how).astype(np.uint8)


def _blurred(picture: Picture, rng: _Rng, detail_px: float) -> Picture:
    if rng.random() < 0.7:
        sigma = rng.uniform(0.3, max(0.5, 0.045 * detail_px))
        return cv2.GaussianBlur(picture, (0, 0), sigma).astype(np.uint8)
    length = max(2, round(rng.uniform(0.03, 0.1) * detail_px))
    kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
    angle = rng.uniform(0, np.pi)
    step = (length * np.cos(angle), length * np.sin(angle))
    ends = [(round(length + sign * step[0]), round(length + sign * step[1])) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    return cv2.filter2D(picture, -1, kernel / kernel.sum()).astype(np.uint8)
