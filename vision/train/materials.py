"""Fetches what training draws with: typefaces and card artwork, from Debian's and npm's packages, by name."""

import gzip
import shutil
import subprocess
from pathlib import Path
from typing import Final

import cairosvg
import cv2
import numpy as np

_FONTS: Final = (
    *("dejavu-core", "dejavu-extra", "liberation2", "freefont-ttf", "linuxlibertine", "lato", "open-sans"),
    *("crosextra-carlito", "urw-base35", "cantarell", "roboto-unhinted", "roboto-slab", "league-spartan"),
    *("bebas-neue", "quattrocento", "comfortaa", "ebgaramond", "gfs-didot", "junction", "vollkorn"),
    *("courier-prime", "inter", "cabin", "dosis", "hack", "jura", "karla", "prociono", "sil-gentium"),
    *("yanone-kaffeesatz", "texgyre", "lobster"),
)
# Sheets of gnome-cards-data with English ranks in two corners.
_SHEETS: Final = (
    *("anglo", "anglo_bitmap", "anglo_modern", "anglo_modern_4_color", "anglo_poker", "atlasnye", "bellot"),
    *("gnomangelo", "gnomangelo_bitmap", "neoclassical", "neoclassical_4_color", "orell", "paris", "plastic"),
    *("simplistic", "tigullio"),
)
_SVG_CARDS: Final = "svg-cards@4.0.2"
_RANKS: Final = "A23456789TJQK"
_SUIT_ROWS: Final = "CDHS"  # of a sheet, from the top
_CARD_PX: Final = 320


def fetch(folder: Path) -> None:
    """Bring typefaces and decks into a folder; what is there already is not fetched again."""
    if (folder / "fetched").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _debian(folder, [f"fonts-{name}" for name in _FONTS], "fonts")
    _debian(folder, ["gnome-cards-data"], "artwork")
    for name in _SHEETS:
        [sheet] = (folder / "artwork").rglob(f"cards/{name}.svgz")
        _cut_sheet(sheet, folder / "decks" / name)
    _npm(folder)
    (folder / "fetched").touch()


def _debian(folder: Path, packages: list[str], into: str) -> None:
    subprocess.run(["apt-get", "download", "-qq", *packages], cwd=folder, check=True)
    for package in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(folder / into)], check=True)
        package.unlink()


def _cut_sheet(sheet: Path, deck: Path) -> None:
    """A sheet has a row for each suit, from ace to king."""
    drawn = cairosvg.svg2png(bytestring=gzip.decompress(sheet.read_bytes()), output_width=_CARD_PX * len(_RANKS))
    picture = np.asarray(cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_UNCHANGED), np.uint8)
    height, width = picture.shape[0] / 5, picture.shape[1] / len(_RANKS)  # the fifth row has jokers and a back
    deck.mkdir(parents=True)
    for row, suit in enumerate(_SUIT_ROWS):
        for column, rank in enumerate(_RANKS):
            top, left = round(row * height), round(column * width)
            card = picture[top : round((row + 1) * height), left : round((column + 1) * width)]
            cv2.imwrite(str(deck / f"{rank}{suit}.png"), card)


def _npm(folder: Path) -> None:
    subprocess.run(["npm", "pack", "--silent", _SVG_CARDS], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    [archive] = folder.glob("svg-cards-*.tgz")
    shutil.unpack_archive(archive, folder / "npm")
    deck = folder / "decks" / "svg-cards"
    deck.mkdir(parents=True)
    ranks = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
    suits = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
    for rank in _RANKS:
        for suit, name in suits.items():
            shutil.copy(folder / f"npm/package/png/2x/{name}_{ranks.get(rank, rank)}.png", deck / f"{rank}{suit}.png")
